package io.github.stablecut.examples.bench.commit;

import io.github.stablecut.Store;
import io.github.stablecut.examples.ChildJvm;
import io.github.stablecut.internal.transaction.StoreOpening;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A process with a store whose records are read and updated ({@code RecordsBench}). Its arguments
 * are a directory, {@code batch} or {@code group}, the group policy's window and the minimum time
 * of a sync, both in milliseconds.
 */
public final class RecordsPeer {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private RecordsPeer() {}

  /** The command that starts the process. */
  public static List<String> command(Path directory, String policy, int window, int syncMillis) {
    return ChildJvm.withClassPath(
        System.getProperty("java.class.path"),
        List.of("-Xmx1g", "-Dstablecut.log=ERROR"),
        RecordsPeer.class,
        directory.toString(),
        policy,
        "" + window,
        "" + syncMillis);
  }

  /** Serves rounds of {@code select} and {@code update}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Durability durability =
        args[1].equals("group")
            ? Durability.group(Duration.ofMillis(Long.parseLong(args[2])))
            : Durability.batch();
    long syncNanos = Long.parseLong(args[3]) * NANOS_PER_MILLI;
    Path directory = Path.of(args[0]);
    try (Store store =
        StoreOpening.open(
            directory,
            StoreOptions.defaults().withDurability(durability),
            segments -> syncNanos == 0 ? segments : new SlowSegments(segments, syncNanos))) {
      TableMap map = TableMap.over(store);
      RecordTarget.fill(map);
      Map<String, CommitTarget> targets = new LinkedHashMap<>();
      targets.put("select", new RecordTarget(store, map, true));
      targets.put("update", new RecordTarget(store, map, false));
      RoundServer.serve(targets);
    }
  }
}
