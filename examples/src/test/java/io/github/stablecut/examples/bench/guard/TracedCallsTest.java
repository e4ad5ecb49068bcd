package io.github.stablecut.examples.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.examples.bench.commit.TraceMark;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TracedCallsTest {
  private static final String MARK = "access(\"" + TraceMark.FILE + "\", F_OK";

  @TempDir Path directory;

  private List<TracedCalls> of(String... lines) throws Exception {
    Path log = directory.resolve("log");
    Files.write(log, List.of(lines));
    return TracedCalls.ofRounds(log);
  }

  @Test
  void countsTheCallsOfAllThreadsBetweenMarks() throws Exception {
    assertThat(
            of(
                "11 read(3, \"\"..., 832) = 832",
                "11 " + MARK + ") = -1 ENOENT (No such file or directory)",
                "12 futex(0x7f, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>",
                "13 pwrite64(7, \"\"..., 64, 0) = 64",
                "13 fdatasync(7 <unfinished ...>",
                "12 <... futex resumed>) = 0",
                "13 <... fdatasync resumed>) = 0",
                "13 --- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR} ---",
                "13 futex(0x7f, FUTEX_WAKE_PRIVATE, 1) = 1",
                "11 " + MARK + " <unfinished ...>",
                "12 futex(0x7f, FUTEX_WAKE_PRIVATE, 1) = 0",
                "11 <... access resumed>) = -1 ENOENT (No such file or directory)"))
        .containsExactly(new TracedCalls(4, 2, 1));
  }

  @Test
  void separatesRounds() throws Exception {
    assertThat(
            of(
                "1 " + MARK,
                "1 futex(0x7f, FUTEX_WAKE_PRIVATE, 1) = 0",
                "1 " + MARK,
                "1 fdatasync(7) = 0",
                "1 " + MARK,
                "1 fsync(7) = 0",
                "1 " + MARK))
        .containsExactly(new TracedCalls(1, 1, 0), new TracedCalls(1, 0, 1));
  }
}
