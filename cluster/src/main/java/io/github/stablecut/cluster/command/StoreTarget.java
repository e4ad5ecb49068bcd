package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.Change;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.internal.exchange.BucketPages;
import io.github.stablecut.cluster.internal.exchange.ObjectPages;
import io.github.stablecut.cluster.internal.exchange.ObjectUpdates;
import io.github.stablecut.cluster.internal.exchange.TableDefinitions;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.tools.PointInTime;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The store that a command reads or changes: a directory, or a running server through its admin
 * port. If a server has the directory open, the command uses that server.
 */
final class StoreTarget {
  private static final ObjectMapper JSON = LargeJson.mapper();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "directory of a store, instead of a server")
  private @Nullable Path data;

  @Mixin private AdminPort port = new AdminPort();

  /** Changes an object; returns the time and token of the commit. */
  JsonNode update(ObjectUpdates.Request order) throws IOException, InterruptedException {
    if (data == null) {
      return update(port, order);
    }
    try (Store store = ClosedDirectory.open(data)) {
      return JSON.readTree(ObjectUpdates.update(store, order));
    } catch (StoreInUseException e) {
      return update(port.ofOwner(data, e), order);
    }
  }

  private static JsonNode update(AdminPort server, ObjectUpdates.Request order)
      throws IOException, InterruptedException {
    return JSON.readTree(server.post("/api/v1/update", encoded(order)));
  }

  private static String encoded(ObjectUpdates.Request order) {
    StringBuilder text = new StringBuilder("bucket=").append(encoded(order.bucket()));
    text.append("&key=").append(encoded(order.key()));
    text.append("&operation=").append(encoded(order.operation()));
    order.value().ifPresent(value -> text.append("&value=").append(encoded(value)));
    order.type().ifPresent(type -> text.append("&type=").append(encoded(type)));
    return text.toString();
  }

  /** Passes on the buckets of one snapshot, each as an object with its name. */
  void buckets(Optional<String> at, Consumer<JsonNode> buckets)
      throws IOException, InterruptedException {
    at.ifPresent(PointInTime::check);
    if (data == null) {
      bucketPages(bucketsOf(port), at, buckets);
      return;
    }
    try (Store store = ClosedDirectory.open(data)) {
      bucketPages((after, then) -> BucketPages.page(store, after, then), at, buckets);
    } catch (StoreInUseException e) {
      bucketPages(bucketsOf(port.ofOwner(data, e)), at, buckets);
    }
  }

  /** Returns the definitions of the tables. */
  JsonNode tables(Optional<String> at) throws IOException, InterruptedException {
    at.ifPresent(PointInTime::check);
    if (data == null) {
      return tables(port, at);
    }
    try (Store store = ClosedDirectory.open(data)) {
      return JSON.readTree(TableDefinitions.list(store, at)).path("tables");
    } catch (StoreInUseException e) {
      return tables(port.ofOwner(data, e), at);
    }
  }

  private static JsonNode tables(AdminPort server, Optional<String> at)
      throws IOException, InterruptedException {
    String query = at.map(text -> "?at=" + encoded(text)).orElse("");
    return JSON.readTree(server.get("/api/v1/tables" + query)).path("tables");
  }

  /** Reads a page of buckets. */
  private interface BucketPage {
    String read(Optional<String> after, Optional<String> at)
        throws IOException, InterruptedException;
  }

  private static BucketPage bucketsOf(AdminPort server) {
    return (after, at) -> {
      List<String> query = new ArrayList<>();
      after.ifPresent(text -> query.add("after=" + encoded(text)));
      at.ifPresent(text -> query.add("at=" + encoded(text)));
      return server.get("/api/v1/buckets?" + String.join("&", query));
    };
  }

  private static void bucketPages(BucketPage pages, Optional<String> at, Consumer<JsonNode> buckets)
      throws IOException, InterruptedException {
    Optional<String> after = Optional.empty();
    Optional<String> snapshot = at;
    do {
      JsonNode page = JSON.readTree(pages.read(after, snapshot));
      page.path("buckets").forEach(buckets);
      after = Optional.ofNullable(page.get("next")).map(JsonNode::asText);
      snapshot = Optional.of(page.path("token").asText());
    } while (after.isPresent());
  }

  /** Passes the matching objects of one snapshot to a predicate until it returns false. */
  void read(
      String bucket,
      Optional<String> key,
      String prefix,
      Optional<String> at,
      Predicate<FoundObject> objects)
      throws IOException, InterruptedException {
    at.ifPresent(PointInTime::check);
    if (data == null) {
      pages(pagesOf(port), bucket, key, prefix, at, objects);
      return;
    }
    try (Store store = ClosedDirectory.open(data)) {
      pages(query -> ObjectPages.page(store, query), bucket, key, prefix, at, objects);
    } catch (StoreInUseException e) {
      pages(pagesOf(port.ofOwner(data, e)), bucket, key, prefix, at, objects);
    }
  }

  /**
   * An object.
   *
   * @param time the time of the snapshot
   * @param token the token of the snapshot
   */
  record FoundObject(JsonNode object, String time, String token) {}

  /** Reads a page of objects. */
  private interface Pages {
    String page(ObjectPages.Query query) throws IOException, InterruptedException;
  }

  private static Pages pagesOf(AdminPort server) {
    return query -> server.get("/api/v1/objects?" + encoded(query));
  }

  private static void pages(
      Pages pages,
      String bucket,
      Optional<String> key,
      String prefix,
      Optional<String> at,
      Predicate<FoundObject> objects)
      throws IOException, InterruptedException {
    Optional<String> after = Optional.empty();
    Optional<String> snapshot = at;
    do {
      ObjectPages.Query query =
          new ObjectPages.Query(
              Bytes.utf8(bucket),
              key.map(Bytes::utf8),
              Bytes.utf8(prefix),
              after,
              ObjectPages.MOST,
              snapshot);
      JsonNode page = JSON.readTree(pages.page(query));
      String token = page.path("token").asText();
      for (JsonNode object : page.path("objects")) {
        if (!objects.test(new FoundObject(object, page.path("time").asText(), token))) {
          return;
        }
      }
      after = Optional.ofNullable(page.get("next")).map(JsonNode::asText);
      snapshot = Optional.of(token);
    } while (after.isPresent());
  }

  private static String encoded(ObjectPages.Query query) {
    StringBuilder text = new StringBuilder("limit=" + query.limit());
    text.append("&bucket=").append(encoded(query.bucket().toUtf8()));
    text.append("&prefix=").append(encoded(query.prefix().toUtf8()));
    query.key().ifPresent(key -> text.append("&key=").append(encoded(key.toUtf8())));
    query.after().ifPresent(after -> text.append("&after=").append(encoded(after)));
    query.at().ifPresent(at -> text.append("&at=").append(encoded(at)));
    return text.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * Passes on the changes of a bucket: from a server, all new ones; from a directory, those after a
   * time in the past.
   */
  void changes(String bucket, String prefix, Optional<String> after, Consumer<JsonNode> changes)
      throws IOException, InterruptedException {
    after.ifPresent(PointInTime::check);
    if (data == null) {
      follow(port, bucket, prefix, after, changes);
      return;
    }
    try (Store store = ClosedDirectory.open(data)) {
      String start =
          after.orElseThrow(
              () ->
                  new SettingsException(
                      "a directory that no process has open does not change: give --after TIME to"
                          + " print its past changes"));
      pastChanges(store, bucket, prefix, start, changes);
    } catch (StoreInUseException e) {
      follow(port.ofOwner(data, e), bucket, prefix, after, changes);
    }
  }

  private static void follow(
      AdminPort server,
      String bucket,
      String prefix,
      Optional<String> after,
      Consumer<JsonNode> changes)
      throws IOException, InterruptedException {
    server.follow(
        "/api/v1/changes?bucket=%s&prefix=%s%s"
            .formatted(
                encoded(bucket),
                encoded(prefix),
                after.map(text -> "&after=" + encoded(text)).orElse("")),
        changes);
  }

  private static void pastChanges(
      Store store, String bucket, String prefix, String after, Consumer<JsonNode> changes)
      throws InterruptedException {
    WatchOptions options = WatchOptions.after(PointInTime.snapshot(store, after).token());
    var end = store.snapshot().token().vector();
    try (Watch watch = store.watch(bucket, prefix, options)) {
      while (!end.isAtOrBefore(watch.position().vector())) {
        Optional<Change> change = watch.poll(Duration.ofMillis(50));
        change.map(ObjectPages::change).ifPresent(changes);
      }
    }
  }
}
