package io.github.stablecut.cluster.internal.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.Change;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.internal.exchange.BucketPages;
import io.github.stablecut.cluster.internal.exchange.ObjectPages;
import io.github.stablecut.cluster.internal.exchange.ObjectUpdates;
import io.github.stablecut.cluster.internal.exchange.TableDefinitions;
import io.github.stablecut.cluster.internal.network.HttpEvents;
import io.github.stablecut.cluster.internal.network.HttpHandler;
import io.github.stablecut.cluster.internal.network.HttpRequest;
import io.github.stablecut.cluster.internal.network.HttpResponse;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.tools.PointInTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads and updates objects, and streams changes, for requests from this machine or with the admin
 * token. Thread-safe.
 */
final class ObjectHandler {
  /** Reads pages of objects. */
  static final String OBJECTS = "/api/v1/objects";

  /** Reads pages of buckets. */
  static final String BUCKETS = "/api/v1/buckets";

  /** Reads the definitions of tables. */
  static final String TABLES = "/api/v1/tables";

  /** Streams committed changes. */
  static final String CHANGES = "/api/v1/changes";

  /** Updates an object. */
  static final String UPDATE = "/api/v1/update";

  private static final Set<String> READ = Set.of(OBJECTS, BUCKETS, TABLES);

  /** The answer to requests that are not trusted. */
  static final String NOT_FOR_ALL =
      "the store's objects are available only to this machine and to requests with the admin token in the header Stablecut-Operator: connect through an SSH tunnel, for example";

  private static final int DEFAULT_LIMIT = 100;

  private final Supplier<Store> store;

  ObjectHandler(Supplier<Store> store) {
    this.store = store;
  }

  /** Whether a request is about objects. */
  boolean has(HttpRequest call) {
    return call.isPost() ? call.path().equals(UPDATE) : READ.contains(call.path());
  }

  boolean isStream(HttpRequest call) {
    return !call.isPost() && call.path().equals(CHANGES);
  }

  HttpResponse answer(HttpRequest call) {
    if (!call.isTrusted()) {
      return HttpResponse.text(403, NOT_FOR_ALL);
    }
    try {
      return new HttpResponse(200, "application/json", read(call));
    } catch (StablecutException e) {
      return refusal(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String read(HttpRequest call) throws IOException {
    return switch (call.path()) {
      case BUCKETS -> BucketPages.page(store.get(), call.parameter("after"), call.parameter("at"));
      case TABLES -> TableDefinitions.list(store.get(), call.parameter("at"));
      default -> ObjectPages.page(store.get(), query(call));
    };
  }

  HttpResponse update(HttpRequest call) {
    if (!call.isTrusted()) {
      return HttpResponse.text(403, NOT_FOR_ALL);
    }
    try {
      return new HttpResponse(
          200, "application/json", ObjectUpdates.update(store.get(), order(call)) + "\n");
    } catch (StablecutException e) {
      return refusal(e);
    }
  }

  private static ObjectUpdates.Request order(HttpRequest call) {
    return new ObjectUpdates.Request(
        required(call, "bucket"),
        required(call, "key"),
        required(call, "operation"),
        call.parameter("value"),
        call.parameter("type"));
  }

  private static String required(HttpRequest call, String name) {
    return call.parameter(name)
        .orElseThrow(() -> new InvalidTokenException("the parameter " + name + " is missing"));
  }

  private static HttpResponse refusal(StablecutException failure) {
    return HttpResponse.text(status(failure), String.valueOf(failure.getMessage()));
  }

  /** Clients retry a request after 503, so that status means that nothing was changed. */
  private static int status(StablecutException failure) {
    if (failure instanceof UsageException) {
      return 400;
    }
    return failure instanceof OutcomeUnknownException ? 500 : 503;
  }

  private static ObjectPages.Query query(HttpRequest call) {
    String limit = call.parameter("limit").orElse(Integer.toString(DEFAULT_LIMIT));
    if (!limit.matches("[0-9]{1,4}")
        || Integer.parseInt(limit) < 1
        || Integer.parseInt(limit) > ObjectPages.MOST) {
      throw new InvalidTokenException(
          "limit is 1 to %,d, not \"%s\"".formatted(ObjectPages.MOST, limit));
    }
    return new ObjectPages.Query(
        bucket(call),
        call.parameter("key").map(Bytes::utf8),
        Bytes.utf8(call.parameter("prefix").orElse("")),
        call.parameter("after"),
        Integer.parseInt(limit),
        call.parameter("at"));
  }

  private static Bytes bucket(HttpRequest call) {
    return Bytes.utf8(required(call, "bucket"));
  }

  HttpEvents events(HttpRequest call) throws HttpHandler.RefusedException {
    if (!call.isTrusted()) {
      throw new HttpHandler.RefusedException(HttpResponse.text(403, NOT_FOR_ALL));
    }
    try {
      Store now = store.get();
      WatchOptions begin =
          call.parameter("after")
              .map(text -> WatchOptions.after(PointInTime.snapshot(now, text).token()))
              .orElseGet(WatchOptions::fromNow);
      Bytes prefix = Bytes.utf8(call.parameter("prefix").orElse(""));
      return new Changes(now.watch(bucket(call), prefix, begin));
    } catch (StablecutException e) {
      throw new HttpHandler.RefusedException(refusal(e));
    }
  }

  /** The changes of a watch, one for each event. */
  private record Changes(Watch watch) implements HttpEvents {
    @Override
    public Map<String, String> headers() {
      return Map.of("Cache-Control", "no-store");
    }

    @Override
    public Optional<byte[]> next(Duration longest) throws InterruptedException {
      Optional<Change> change = watch.poll(longest);
      return change.map(one -> ("data: " + ObjectPages.change(one) + "\n\n").getBytes(UTF_8));
    }

    @Override
    public void close() {
      watch.close();
    }
  }
}
