package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An idle stream of a partition, while time passes. */
final class IdleStreamTest {
  private static final int VALUE_BYTES = 1 << 20;
  private static final int LOOKS = 200;

  @Test
  void sendsTimeWithoutRereadingTheJournal() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    LossyDisk disk = LossyDisk.empty();
    try (EmbeddedStore store =
        StoreOpening.open(
            1,
            List.of(new PartitionFiles(disk.journal(), disk.checkpoints())),
            StoreOptions.defaults())) {
      store.update(Key.register("b", "k", Codec.bytes()).assign(Bytes.wrap(new byte[VALUE_BYTES])));
      Partition partition = store.partitions().local().get(0);
      StreamReader reader = partition.streams().read(0, StreamReader.Start.BEGINNING);
      long through = 0;
      int read = 0;
      while (read == 0) {
        StreamReader.Chunk part = reader.read(1);
        read = part.records().size();
        through = part.through();
      }
      long thread = Thread.currentThread().getId();
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < LOOKS; i++) {
        partition.snapshotAfter(partition.now());
        StreamReader.Chunk part = reader.read(VALUE_BYTES);
        assertThat(part.records()).isEmpty();
        assertThat(part.through()).isGreaterThanOrEqualTo(through);
        through = part.through();
      }
      assertThat(through).isGreaterThan(reader.last());
      long allocated = threads.getThreadAllocatedBytes(thread) - before;
      assertThat(allocated).isLessThan((long) LOOKS / 4 * VALUE_BYTES);
    }
  }
}
