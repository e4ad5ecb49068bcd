package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.Operation;
import io.github.stablecut.object.annotation.Accessor;
import io.github.stablecut.object.annotation.Mutator;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects as seen by a user's package with non-public interfaces. */
class NonPublicInterfacesTest {
  private static final ObjectType<Long> SUM =
      ObjectType.of("sum", Codec.int64(), 0L)
          .with(
              Operation.mutator("add", Codec.int64(), Long::sum),
              Operation.<Long, Long>accessor("total", sum -> sum));

  @TempDir private Path directory;

  interface OfThePackage {
    @Mutator
    void add(Long more);

    @Accessor
    long total();

    default long addAll(long... more) {
      for (long one : more) {
        add(one);
      }
      return total();
    }
  }

  private interface OfTheClass extends OfThePackage {
    @Override
    default long addAll(long... more) {
      return -OfThePackage.super.addAll(more);
    }
  }

  @Test
  void executesBodiesOfNonPublicInterfaces() {
    try (Store store = Stablecut.open(directory)) {
      var object = ObjectSpace.of(store).open("b", "sum", SUM);

      assertThat(object.as(OfThePackage.class).addAll(1, 2)).isEqualTo(3);
      assertThat(object.as(OfTheClass.class).addAll(4)).isEqualTo(-7);
    }
  }
}
