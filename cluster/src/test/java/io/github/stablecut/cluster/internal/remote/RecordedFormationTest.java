package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A node records that its cluster is complete, at once or when its disk permits. */
class RecordedFormationTest {
  @TempDir private Path directory;

  private final MembershipView view = new MembershipView();

  private final PendingRequests requests = Nowhere.requests(view);

  private NodePartitions open(Path data) {
    NodePartitions node =
        NodePartitions.open(
            new NodeSettings(
                "n1",
                data,
                StoreOptions.defaults(),
                new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
                new NodeSettings.Formation(List.of(), 1),
                NodeSettings.MoveLimits.DEFAULT),
            new NodeClock(
                EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT));
    node.openAll(new NodePlan(7, "n1", List.of("n1"), false), List.of(), requests, view);
    return node;
  }

  private static boolean isFormed(NodePartitions node) {
    return node.facts(List.of(), false).plan().orElseThrow().isFormed();
  }

  @Test
  void logsAFullDiskOnceAndRetries() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(NodeRecords.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try (SmallDisk disk = new SmallDisk(directory.resolve("disk"), 512);
        NodePartitions node = open(disk.directory("n1"))) {
      disk.leave(0);

      node.records().markFormed();
      node.records().markFormed();

      assertThat(isFormed(node)).isFalse();
      assertThat(log.list).hasSize(1);
      assertThat(log.list.get(0).getFormattedMessage())
          .startsWith("node n1 can't record that its cluster is complete, and retries: ")
          .contains("No space left on device");
      assertThat(log.list.get(0).getThrowableProxy()).isNull();
      disk.free();

      node.records().markFormed();

      assertThat(isFormed(node)).isTrue();
    } finally {
      logger.detachAppender(log);
    }
  }
}
