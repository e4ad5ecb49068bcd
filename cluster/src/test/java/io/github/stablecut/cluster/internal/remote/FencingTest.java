package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions are fenced while they send messages to each other. */
class FencingTest {
  @TempDir private Path directory;

  private final AtomicLong attempts = new AtomicLong();
  private final CountDownLatch inside = new CountDownLatch(2);
  private final CountDownLatch mayContinue = new CountDownLatch(1);

  private Message.Open open(Message.Driver driver) {
    return new Message.Open(driver, attempts.incrementAndGet(), Optional.empty());
  }

  /** Starts a thread that sends a message to one partition while another handles a message. */
  private Thread sending(OpenPartition from, OpenPartition to) {
    Message.Driver driver =
        new Message.Driver() {
          @Override
          public long number() {
            return 1;
          }

          @Override
          public void tell(Message.ToDriver answer) {
            inside.countDown();
            try {
              mayContinue.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            to.receive(open(GONE));
          }
        };
    return new Thread(() -> from.receive(open(driver)));
  }

  private static boolean isStuck(Thread thread) {
    return switch (thread.getState()) {
      case BLOCKED, WAITING -> true;
      default -> false;
    };
  }

  @Test
  void fencingTwoPartitionsThatSendToEachOtherDoesNotDeadlock() throws Exception {
    StoreOptions options = StoreOptions.defaults();
    ActiveSnapshots active = EmbeddedStore.activeSnapshots(options);
    Partition partition = TestOwner.partition(directory, options, active, 1);
    try {
      RequestServer server = TestOwner.server(options, active);
      OpenPartition one = new OpenPartition(partition, 1);
      OpenPartition two = new OpenPartition(partition, 2);
      List<Thread> senders = List.of(sending(one, two), sending(two, one));
      List<Thread> fencers =
          List.of(new Thread(() -> server.fence(one)), new Thread(() -> server.fence(two)));
      senders.forEach(Thread::start);
      inside.await();
      fencers.forEach(Thread::start);
      Eventually.holds("both wait", () -> fencers.stream().allMatch(FencingTest::isStuck));

      mayContinue.countDown();

      for (List<Thread> threads : List.of(senders, fencers)) {
        Eventually.holds("all have ended", () -> threads.stream().noneMatch(Thread::isAlive));
      }
      assertThat(one.isServing()).isFalse();
      assertThat(two.isServing()).isFalse();
    } finally {
      partition.close();
    }
  }
}
