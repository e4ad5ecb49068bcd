package io.github.stablecut.cluster.internal.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Pin;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.PartitionReplicaDigest;
import io.github.stablecut.cluster.internal.network.HttpEvents;
import io.github.stablecut.cluster.internal.network.HttpHandler;
import io.github.stablecut.cluster.internal.network.HttpRequest;
import io.github.stablecut.cluster.internal.network.HttpResponse;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.tools.Inspection;
import io.github.stablecut.tools.JournalDump;
import io.github.stablecut.tools.ObjectName;
import io.github.stablecut.tools.PointInTime;
import io.github.stablecut.tools.ToolProgress;
import io.github.stablecut.tools.Verification;
import io.github.stablecut.tools.Verification.Depth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Serves exports and admin tasks: backups, verifications, inspections, journal dumps and digests,
 * one task at a time. Thread-safe.
 */
final class ExportHandler {
  /** Exports all objects as JSON lines. */
  static final String EXPORT = "/api/v1/export";

  /** Writes a backup on the server's disk. */
  static final String BACKUP = "/api/v1/backup";

  /** Verifies the current state of the store. */
  static final String VERIFY = "/api/v1/verify";

  /** Describes the store's files. */
  static final String INSPECT = "/api/v1/inspect";

  /** Prints the records of the journal. */
  static final String JOURNAL = "/api/v1/journal";

  /** Digests the checkpoints of a node's replicas, for comparison with those of others. */
  static final String DIGESTS = "/api/v1/cluster/digests";

  private final Supplier<Store> store;
  private final Path data;
  private final ServerInfo facts;
  private final AtomicBoolean isBusy = new AtomicBoolean();

  /**
   * A handler for a store.
   *
   * @param data the store's directory
   */
  ExportHandler(Supplier<Store> store, Path data, ServerInfo facts) {
    this.facts = facts;
    this.store = store;
    this.data = data;
  }

  boolean isStream(HttpRequest call) {
    return call.isPost()
        ? Set.of(BACKUP, VERIFY, INSPECT, JOURNAL, DIGESTS).contains(call.path())
        : call.path().equals(EXPORT);
  }

  HttpEvents events(HttpRequest call) throws HttpHandler.RefusedException {
    try {
      return call.isPost() ? startTask(call) : export(call);
    } catch (StablecutException e) {
      throw refused(e instanceof UsageException ? 400 : 503, String.valueOf(e.getMessage()));
    }
  }

  private static HttpHandler.RefusedException refused(int status, String message) {
    return new HttpHandler.RefusedException(HttpResponse.text(status, message));
  }

  private HttpEvents export(HttpRequest call) throws HttpHandler.RefusedException {
    if (!call.isTrusted()) {
      throw refused(403, ObjectHandler.NOT_FOR_ALL);
    }
    Store now = store.get();
    Snapshot snapshot =
        call.parameter("at").map(text -> PointInTime.snapshot(now, text)).orElseGet(now::snapshot);
    Pin pin = now.pin(snapshot.token());
    try {
      return new Export(pin);
    } catch (RuntimeException | Error e) {
      pin.close();
      throw e;
    }
  }

  private HttpEvents startTask(HttpRequest call) throws HttpHandler.RefusedException {
    AdminTask.Work work = work(call);
    if (!isBusy.compareAndSet(false, true)) {
      throw refused(
          409,
          "another admin task (backup, verification, inspection, journal or digests) is running: try again when it is done");
    }
    try {
      return AdminTask.start("stablecut-admin-task", work, () -> isBusy.set(false));
    } catch (RuntimeException | Error e) {
      isBusy.set(false);
      throw e;
    }
  }

  private AdminTask.Work work(HttpRequest call) throws HttpHandler.RefusedException {
    if (call.path().equals(VERIFY) && facts.node().isPresent()) {
      throw refused(
          400,
          "a cluster node would have to copy the partitions of all others to verify them: back up the cluster (stablecut cluster backup), restore the backup and verify it, or verify the directory of a stopped node");
    }
    return switch (call.path()) {
      case BACKUP -> backup(target(call));
      case DIGESTS -> this::digests;
      case INSPECT -> progress -> InspectionReport.json(Inspection.ofOpen(data, progress));
      case JOURNAL -> journal(filter(call));
      default -> progress -> verify(call.parameter("full").isPresent(), progress);
    };
  }

  private ObjectNode digests(ToolProgress progress) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    ArrayNode all = result.putArray("digests");
    for (PartitionReplicaDigest one :
        facts.digests(objects -> progress.update("reading objects", objects, 0))) {
      ObjectNode digest = all.addObject();
      ArrayNode voters = digest.putArray("voters");
      one.voters().forEach(voters::add);
      digest
          .put("partition", one.partition())
          .put("replica", one.replica())
          .put("epoch", one.epoch())
          .put("checkpoint", one.checkpoint())
          .put("objects", one.objects())
          .put("large", one.large())
          .put("hash", one.hash());
    }
    return result;
  }

  private static JournalDump.Filter filter(HttpRequest call) throws HttpHandler.RefusedException {
    Optional<Bytes> key = call.parameter("key").map(Bytes::utf8);
    Bytes bucket = Bytes.utf8(call.parameter("bucket").orElse(""));
    return new JournalDump.Filter(
        key.map(name -> new ObjectName(bucket, name)), time(call, "from"), time(call, "to"));
  }

  private static Optional<Instant> time(HttpRequest call, String name)
      throws HttpHandler.RefusedException {
    try {
      return call.parameter(name).map(Instant::parse);
    } catch (DateTimeParseException e) {
      throw refused(400, name + " is a time such as 2026-11-20T08:00:00Z");
    }
  }

  private AdminTask.Work journal(JournalDump.Filter filter) {
    return listener -> {
      JournalDump.Result found =
          JournalDump.ofOpen(
              data,
              filter,
              entry ->
                  listener.found(
                      JsonNodeFactory.instance
                          .objectNode()
                          .set("record", JournalJson.json(entry))));
      ObjectNode result = JsonNodeFactory.instance.objectNode();
      found.damages().forEach(result.putArray("damages")::add);
      found.notes().forEach(result.putArray("notes")::add);
      return result;
    };
  }

  private static Path target(HttpRequest call) throws HttpHandler.RefusedException {
    try {
      Path target = Path.of(call.parameter("target").orElse(""));
      if (target.isAbsolute()) {
        return target.normalize();
      }
    } catch (InvalidPathException e) {
      throw refused(400, "the target is not a valid path: " + e.getMessage());
    }
    throw refused(
        400, "the backup is written on the server's disk: give an absolute path there as target");
  }

  private AdminTask.Work backup(Path target) {
    return progress -> {
      CausalToken token =
          store.get().backup(target, (done, total) -> progress.update("backing up", done, total));
      ObjectNode result = JsonNodeFactory.instance.objectNode();
      result.put("target", target.toString());
      result.put("time", token.time().toString());
      return result.put("token", token.toText());
    };
  }

  /** Verifies a temporary store with the same files: restored from a backup, by hard links. */
  private ObjectNode verify(boolean isFull, ToolProgress progress) {
    Path directory = data.resolve(StoreDirectory.VERIFYING);
    try {
      FileTrees.delete(directory);
      PrivateFiles.createDirectory(directory);
      try {
        return verify(directory, isFull, progress);
      } finally {
        FileTrees.delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ObjectNode verify(Path directory, boolean isFull, ToolProgress progress) {
    Path backup = directory.resolve("backup");
    Path restored = directory.resolve("restored");
    CausalToken token =
        store.get().backup(backup, (done, total) -> progress.update("linking", done, total));
    Stablecut.restore(backup, restored, (done, total) -> progress.update("hashing", done, total));
    ObjectNode result =
        VerificationJson.json(
            Verification.run(restored, isFull ? Depth.FULL : Depth.SUMS, progress));
    result.put("time", token.time().toString());
    return result.put("token", token.toText());
  }
}
