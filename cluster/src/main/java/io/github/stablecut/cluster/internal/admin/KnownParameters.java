package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.cluster.internal.network.HttpRequest;
import io.github.stablecut.cluster.internal.network.HttpResponse;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The parameters of requests to the admin port, by path. A request with an unknown parameter is
 * refused, because a misspelt one would otherwise be ignored silently.
 */
final class KnownParameters {
  private static final Map<String, Set<String>> OF_GET =
      Map.ofEntries(
          Map.entry("/alive", Set.of()),
          Map.entry("/ready", Set.of("all")),
          Map.entry("/metrics", Set.of()),
          Map.entry("/api/v1/status", Set.of()),
          Map.entry(
              ObjectHandler.OBJECTS, Set.of("bucket", "key", "prefix", "after", "limit", "at")),
          Map.entry(ObjectHandler.BUCKETS, Set.of("after", "at")),
          Map.entry(ObjectHandler.TABLES, Set.of("at")),
          Map.entry(ObjectHandler.CHANGES, Set.of("bucket", "prefix", "after")),
          Map.entry(ExportHandler.EXPORT, Set.of("at")),
          Map.entry(AdminPortFile.PATH, Set.of("challenge")));

  private static final Map<String, Set<String>> OF_POST =
      Map.ofEntries(
          Map.entry("/api/v1/cluster/move", Set.of("partition", "node")),
          Map.entry("/api/v1/cluster/announce-leave", Set.of("seconds", "by")),
          Map.entry("/api/v1/cluster/leave", Set.of()),
          Map.entry("/api/v1/cluster/replace", Set.of("lost", "by")),
          Map.entry("/api/v1/cluster/replicas", Set.of("number")),
          Map.entry("/api/v1/cluster/spread", Set.of("without")),
          Map.entry("/api/v1/cluster/lost", Set.of("nodes")),
          Map.entry("/api/v1/cluster/forget", Set.of("nodes", "partitions")),
          Map.entry("/api/v1/dc/connect", Set.of("address")),
          Map.entry("/api/v1/dc/detach", Set.of("number")),
          Map.entry("/api/v1/dc/remove", Set.of()),
          Map.entry(ObjectHandler.UPDATE, Set.of("bucket", "key", "operation", "value", "type")),
          Map.entry(ExportHandler.BACKUP, Set.of("target")),
          Map.entry(ExportHandler.VERIFY, Set.of("full")),
          Map.entry(ExportHandler.INSPECT, Set.of()),
          Map.entry(ExportHandler.JOURNAL, Set.of("bucket", "key", "from", "to")),
          Map.entry(ExportHandler.DIGESTS, Set.of()));

  private KnownParameters() {}

  /** The refusal of a request with an unknown parameter; empty if all are known. */
  static Optional<HttpResponse> refusal(HttpRequest call) {
    Set<String> known = (call.isPost() ? OF_POST : OF_GET).get(call.path());
    if (known == null || known.containsAll(call.parameters().keySet())) {
      return Optional.empty();
    }
    Set<String> unknown = new TreeSet<>(call.parameters().keySet());
    unknown.removeAll(known);
    return Optional.of(
        HttpResponse.text(
            400,
            "%s has no parameter %s: %s"
                .formatted(
                    call.path(),
                    String.join(", ", unknown),
                    known.isEmpty()
                        ? "it takes none"
                        : "it takes " + String.join(", ", new TreeSet<>(known)))));
  }
}
