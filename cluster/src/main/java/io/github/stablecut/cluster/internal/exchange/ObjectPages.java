package io.github.stablecut.cluster.internal.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.Change;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.StoredObject;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.tools.PointInTime;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;

/**
 * Pages of a bucket's objects, and changes, as JSON.
 *
 * <pre>
 *   {"time": "2026-11-22T09:50:00.123Z", "token": "…", "objects": [object …], "next": "…"}
 * </pre>
 *
 * <p>Objects are as in an export ({@link ExportWriter}). {@code next} exists if there are more: the
 * {@link Query#after} of the query for the next page. A change has the same form without {@code
 * next}.
 */
public final class ObjectPages {
  /** Maximum number of objects in a page. */
  public static final int MOST = 1_000;

  /** A page ends with the object that reaches this size. */
  private static final int PAGE_BYTES = 8 << 20;

  private ObjectPages() {}

  /**
   * A query for a page.
   *
   * @param key the key of a single object; empty for all keys with the prefix
   * @param after {@code next} of the previous page; empty for the first page
   * @param limit maximum number of objects, 1 to {@link #MOST}
   * @param at a time in the format of {@link PointInTime}; empty for now
   */
  public record Query(
      Bytes bucket,
      Optional<Bytes> key,
      Bytes prefix,
      Optional<String> after,
      int limit,
      Optional<String> at) {}

  /**
   * Reads a page.
   *
   * @throws io.github.stablecut.error.UsageException if the query is wrong
   */
  public static String page(Store store, Query query) throws IOException {
    Snapshot snapshot =
        query.at().map(text -> PointInTime.snapshot(store, text)).orElseGet(store::snapshot);
    StringBuilder page = new StringBuilder(head(snapshot));
    String end = "]}\n";
    Bytes last = Bytes.EMPTY;
    int count = 0;
    try (Scan scan = snapshot.scan(range(query))) {
      while (scan.hasNext()) {
        // A key with several types occurs once for each: they stay on one page.
        StoredObject object = scan.next();
        boolean isFull = count >= query.limit() || page.length() >= PAGE_BYTES;
        if (isFull && !object.key().equals(last)) {
          end = "],\"next\":\"" + encoded(last) + "\"}\n";
          break;
        }
        last = object.key();
        page.append(count == 0 ? "" : ",")
            .append(new String(ExportWriter.line(snapshot, object), UTF_8));
        count++;
      }
    }
    return page.append(end).toString();
  }

  private static String head(Snapshot snapshot) {
    return "{\"time\":\"%s\",\"token\":\"%s\",\"objects\":["
        .formatted(snapshot.token().time(), snapshot.token().toText());
  }

  private static ScanOptions range(Query query) {
    ScanOptions range = ScanOptions.bucket(query.bucket()).prefix(query.prefix());
    if (query.key().isPresent()) {
      range = range.from(query.key().get()).through(query.key().get());
    }
    return query.after().isPresent() ? range.after(decoded(query.after().get())) : range;
  }

  static String encoded(Bytes key) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(key.toArray());
  }

  static Bytes decoded(String after) {
    try {
      return Bytes.wrap(Base64.getUrlDecoder().decode(after));
    } catch (IllegalArgumentException e) {
      throw new InvalidTokenException("after is not the next of a previous page", e);
    }
  }

  /** Returns a change, with the values right after it. */
  public static ObjectNode change(Change change) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("time", change.token().time().toString());
    node.put("token", change.token().toText());
    ArrayNode objects = node.putArray("objects");
    for (Key<?> key : change.objects()) {
      ObjectNode object = objects.addObject();
      object.set("bucket", JsonBytes.write(key.bucket()));
      object.set("key", JsonBytes.write(key.key()));
      Key<?> typed = Key.of(key.bucket(), key.key(), key.type());
      ObjectJson.write(
          object,
          key.type(),
          () -> change.read(typed),
          () -> ExportWriter.deadline(change.snapshot(), key.bucket(), key.key(), key.type()));
    }
    return node;
  }
}
