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
 * Copies and reads the store for operators: an export to the caller, and, one at a time, backups on
 * this machine's disks, verifications, and looks at its files. Thread-safe.
 */
final class ExportHandler {
  /** All objects as lines of JSON. */
  static final String EXPORT = "/api/v1/export";

  /** A backup on the disk of the server. */
  static final String BACKUP = "/api/v1/backup";

  /** A verification of what the store holds now. */
  static final String VERIFY = "/api/v1/verify";

  /** What the store's files are. */
  static final String INSPECT = "/api/v1/inspect";

  /** The records of the journal. */
  static final String JOURNAL = "/api/v1/journal";

  /** What the checkpoints of a node's copies hold, to be compared with those of others. */
  static final String DIGESTS = "/api/v1/cluster/digests";

  private final Supplier<Store> store;
  private final Path data;
  private final ServerInfo facts;
  private final AtomicBoolean isBusy = new AtomicBoolean();

  /**
   * Copies of a store.
   *
   * @param data its directory
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
      return call.isPost() ? errand(call) : export(call);
    } catch (StablecutException e) {
      throw refused(e instanceof UsageException ? 400 : 503, String.valueOf(e.getMessage()));
    }
  }

  private static HttpHandler.RefusedException refused(int status, String why) {
    return new HttpHandler.RefusedException(HttpResponse.text(status, why));
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

  private HttpEvents errand(HttpRequest call) throws HttpHandler.RefusedException {
    AdminTask.Work work = work(call);
    if (!isBusy.compareAndSet(false, true)) {
      throw refused(
          409,
          "another backup, verification or look at the files is under way: try again when it is done");
    }
    try {
      return AdminTask.begin("stablecut-errand", work, () -> isBusy.set(false));
    } catch (RuntimeException | Error e) {
      isBusy.set(false);
      throw e;
    }
  }

  private AdminTask.Work work(HttpRequest call) throws HttpHandler.RefusedException {
    if (call.path().equals(VERIFY) && facts.node().isPresent()) {
      throw refused(
          400,
          "a node would copy the partitions of all others to verify them: make a backup of the cluster (stablecut cluster backup), restore it and verify that, or verify the directory of a stopped node");
    }
    return switch (call.path()) {
      case BACKUP -> backup(target(call));
      case DIGESTS -> this::digests;
      case INSPECT -> told -> InspectionReport.json(Inspection.ofOpen(data, told));
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
    return told -> {
      JournalDump.Result found =
          JournalDump.ofOpen(
              data,
              filter,
              entry ->
                  told.tell(
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
      throw refused(400, "the target is no path: " + e.getMessage());
    }
    throw refused(
        400, "the backup is written on the server's disk: name an absolute path there as target");
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

  /** Verifies a store that has the same files: made of a backup, by links. */
  private ObjectNode verify(boolean isFull, ToolProgress progress) {
    Path place = data.resolve(StoreDirectory.VERIFYING);
    try {
      FileTrees.delete(place);
      PrivateFiles.createDirectory(place);
      try {
        return verify(place, isFull, progress);
      } finally {
        FileTrees.delete(place);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ObjectNode verify(Path place, boolean isFull, ToolProgress progress) {
    Path backup = place.resolve("backup");
    Path restored = place.resolve("restored");
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
