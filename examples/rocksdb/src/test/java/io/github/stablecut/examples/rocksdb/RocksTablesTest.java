package io.github.stablecut.examples.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.testing.TableMapContract;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tables in RocksDB. */
class RocksTablesTest {
  @Nested
  class Contract extends TableMapContract {
    @Override
    protected TableMap open(Path data) {
      return TableMap.open("rocksdb:" + data);
    }
  }

  @Test
  void keysAreOrderedAsRecordsAre() {
    List<Bytes> parts =
        List.of(
            bytes(), bytes(0), bytes(0, 1), bytes(0, 255), bytes(1), bytes(255), bytes(255, 255));
    for (Bytes space : parts.subList(1, parts.size())) {
      for (Bytes lead : parts) {
        for (Bytes rest : parts) {
          RecordId one = new RecordId(space, lead, bytes(7), rest);
          assertThat(RocksFormat.id(RocksFormat.key(one))).isEqualTo(one);
          for (Bytes other : parts) {
            RecordId two = new RecordId(space, other, bytes(0), rest);
            assertThat(
                    Integer.signum(
                        Arrays.compareUnsigned(RocksFormat.key(one), RocksFormat.key(two))))
                .isEqualTo(Integer.signum(one.compareTo(two)));
          }
        }
      }
    }
  }

  @Test
  void damagedKeysAndValuesAreTold() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      for (Runnable reading :
          List.<Runnable>of(() -> RocksFormat.id(bytes), () -> RocksFormat.cells(bytes))) {
        try {
          reading.run();
        } catch (FormatException | IllegalArgumentException e) {
          assertThat(e).hasMessageMatching(".+");
        }
      }
    }
  }

  @Test
  void uriWithoutDirectoryIsRefused() {
    assertThatThrownBy(() -> TableMap.open("rocksdb://host/x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rocksdb:DIRECTORY");
  }

  private static Bytes bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return Bytes.wrap(bytes);
  }
}
