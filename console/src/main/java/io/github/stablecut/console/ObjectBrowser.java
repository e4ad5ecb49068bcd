package io.github.stablecut.console;

import io.github.stablecut.Change;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Watch;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.web.Arguments;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Answers requests about the objects of a store, now or at a time in the past. Each answer has
 * limited size, and reading history takes limited time. Thread-safe.
 */
final class ObjectBrowser {
  private static final int PAGE = 100;
  private static final int MAX_CHANGES = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final ConsoleSource source;

  ObjectBrowser(ConsoleSource source) {
    this.source = source;
  }

  /** The buckets with objects, after a given one. */
  Object buckets(Arguments arguments) {
    Snapshot snapshot = RequestParameters.snapshot(source.store(), arguments);
    List<Bytes> found =
        snapshot.buckets(RequestParameters.bytesOrNone(arguments, "after"), PAGE + 1);
    Map<String, Object> answer = begin(snapshot);
    answer.put("buckets", found.stream().limit(PAGE).map(ObjectBrowser::named).toList());
    answer.put("more", found.size() > PAGE);
    return answer;
  }

  /** The objects of a bucket with a given key prefix, after a given one. */
  Object list(Arguments arguments) {
    Snapshot snapshot = RequestParameters.snapshot(source.store(), arguments);
    ScanOptions range = ScanOptions.bucket(RequestParameters.bytes(arguments, "bucket")).keysOnly();
    if (arguments.has("prefix")) {
      range = range.prefix(arguments.text("prefix", Key.MAX_BYTES));
    }
    if (arguments.has("after")) {
      range = range.after(RequestParameters.bytes(arguments, "after"));
    }
    List<Object> objects = new ArrayList<>();
    try (Scan scan = snapshot.scan(range.limit(PAGE + 1))) {
      while (objects.size() < PAGE && scan.hasNext()) {
        objects.add(object(scan.next()));
      }
      Map<String, Object> answer = begin(snapshot);
      answer.put("objects", objects);
      answer.put("more", scan.hasNext());
      return answer;
    }
  }

  private static Map<String, Object> object(StoredObject object) {
    Map<String, Object> shown = named(object.key());
    shown.put("type", object.type().name());
    shown.put("typeNumber", object.type().typeId());
    return shown;
  }

  private static Map<String, Object> named(Bytes name) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", RequestParameters.encoded(name));
    shown.put("name", ShownValue.bytes(name));
    return shown;
  }

  /** The value of an object. */
  Object value(Arguments arguments) {
    Store store = source.store();
    Key<?> key = key(arguments);
    Snapshot snapshot = RequestParameters.snapshot(store, arguments);
    Map<String, Object> answer = begin(snapshot);
    answer.put("type", key.type().name());
    answer.put("partition", store.partitionOf(key));
    answer.put("value", ShownValue.of(() -> snapshot.read(key)));
    return answer;
  }

  private static Key<?> key(Arguments arguments) {
    CrdtType<?, ?, ?, ?> type = RequestParameters.type(arguments);
    return Key.of(
        RequestParameters.bytes(arguments, "bucket"),
        RequestParameters.bytes(arguments, "key"),
        type);
  }

  private static Map<String, Object> begin(Snapshot snapshot) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("time", snapshot.token().time().toEpochMilli());
    answer.put("token", snapshot.token().toText());
    return answer;
  }

  /**
   * The times of an object's last changes within the retained history, oldest first. The answer
   * says if it is incomplete because reading took too long.
   */
  Object history(Arguments arguments) throws InterruptedException {
    Store store = source.store();
    Key<?> key = key(arguments);
    Snapshot now = store.snapshot();
    long endNanos = System.nanoTime() + PATIENCE.toNanos();
    Deque<Change> last = new ArrayDeque<>();
    boolean isWhole = true;
    WatchOptions past = WatchOptions.after(store.status().times().lowWatermark());
    try (Watch watch = store.watch(key.bucket(), key.key(), past)) {
      while (!now.token().vector().isAtOrBefore(watch.position().vector())) {
        Optional<Change> change = watch.poll(Duration.ofMillis(20));
        change.filter(one -> one.objects().contains(key)).ifPresent(last::addLast);
        if (last.size() > MAX_CHANGES) {
          last.removeFirst();
          isWhole = false;
        }
        if (System.nanoTime() > endNanos) {
          isWhole = false;
          break;
        }
      }
    }
    Map<String, Object> answer = begin(now);
    answer.put("changes", last.stream().map(ObjectBrowser::change).toList());
    answer.put("whole", isWhole);
    return answer;
  }

  static Map<String, Object> change(Change change) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("time", change.token().time().toEpochMilli());
    shown.put("token", change.token().toText());
    return shown;
  }
}
