package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM without the flags that Chronicle needs is refused, and the message names them. */
final class JvmFlagsTest {
  @TempDir Path directory;

  @Test
  void theFlagsOfThisJvmSuffice() {
    assertThatCode(JvmFlags::check).doesNotThrowAnyException();
  }

  @Test
  void anOpenWithoutTheFlagsNamesThemAndTouchesNothing() throws Exception {
    Path target = directory.resolve("journal");
    List<String> command = new ArrayList<>(ChildJvm.command(AppendingMain.class));
    command.removeAll(JvmFlags.all());
    command.addAll(List.of(target.toString(), "1", "0", "1", "0"));

    String output = ChildJvm.run(command);

    assertThat(output).contains("MissingJvmFlagsException").contains(JvmFlags.all());
    assertThat(Files.exists(target)).isFalse();
  }
}
