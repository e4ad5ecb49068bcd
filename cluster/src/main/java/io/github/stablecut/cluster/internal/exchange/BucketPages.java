package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.tools.PointInTime;
import java.util.List;
import java.util.Optional;

/**
 * Pages of a store's buckets as JSON.
 *
 * <pre>
 *   {"time": "2026-11-22T09:50:00.123Z", "token": "…", "buckets": [{"bucket": "posts"} …], "next": "…"}
 * </pre>
 *
 * <p>{@code next} exists if there are more: the {@code after} of the query for the next page.
 */
public final class BucketPages {
  /** Number of buckets in a page. */
  private static final int MOST = 1_000;

  private BucketPages() {}

  /**
   * Reads a page.
   *
   * @param after {@code next} of the previous page; empty for the first page
   * @param at a time in the format of {@link PointInTime}; empty for now
   * @throws io.github.stablecut.error.UsageException if an argument is wrong
   */
  public static String page(Store store, Optional<String> after, Optional<String> at) {
    Snapshot snapshot =
        at.map(text -> PointInTime.snapshot(store, text)).orElseGet(store::snapshot);
    List<Bytes> found =
        snapshot.buckets(after.map(ObjectPages::decoded).orElse(Bytes.EMPTY), MOST + 1);
    ObjectNode page = JsonNodeFactory.instance.objectNode();
    page.put("time", snapshot.token().time().toString());
    page.put("token", snapshot.token().toText());
    ArrayNode buckets = page.putArray("buckets");
    found.stream()
        .limit(MOST)
        .forEach(bucket -> buckets.addObject().set("bucket", JsonBytes.write(bucket)));
    if (found.size() > MOST) {
      page.put("next", ObjectPages.encoded(found.get(MOST - 1)));
    }
    return page + "\n";
  }
}
