package io.github.stablecut.console;

import io.github.stablecut.Change;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.web.Arguments;
import io.github.stablecut.web.Feed;
import io.github.stablecut.web.WebException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The live changes of a bucket's objects, for one window. Confined to the window's thread. A window
 * that falls behind loses its watch and opens another.
 */
final class ChangeFeed implements Feed {
  /** Maximum number of changes in one event, and of objects per change. */
  private static final int MOST = 50;

  /** Changes within this time are sent in one event. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Watch watch;

  private ChangeFeed(Watch watch) {
    this.watch = watch;
  }

  static ChangeFeed of(ConsoleSource source, Arguments arguments) {
    Store store = source.store();
    Bytes bucket = RequestParameters.bytes(arguments, "bucket");
    String prefix = arguments.has("prefix") ? arguments.text("prefix", Key.MAX_BYTES) : "";
    return new ChangeFeed(store.watch(bucket, Bytes.utf8(prefix), WatchOptions.fromNow()));
  }

  @Override
  public Optional<Object> next(Duration longest) throws InterruptedException {
    try {
      Optional<Change> first = watch.poll(longest);
      if (first.isEmpty()) {
        return Optional.empty();
      }
      Thread.sleep(PAUSE.toMillis());
      List<Object> changes = new ArrayList<>();
      for (Optional<Change> one = first; one.isPresent(); one = watch.poll(Duration.ZERO)) {
        changes.add(shown(one.get()));
        if (changes.size() == MOST) {
          break;
        }
      }
      return Optional.of(Map.of("changes", changes));
    } catch (StablecutException e) {
      throw new WebException(503, String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, Object> shown(Change change) {
    Map<String, Object> shown = new LinkedHashMap<>(ObjectBrowser.change(change));
    shown.put("count", change.objects().size());
    shown.put("objects", change.objects().stream().limit(MOST).map(ChangeFeed::object).toList());
    return shown;
  }

  private static Map<String, Object> object(Key<?> key) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", RequestParameters.encoded(key.key()));
    shown.put("name", ShownValue.bytes(key.key()));
    shown.put("type", key.type().name());
    shown.put("typeNumber", key.type().typeId());
    return shown;
  }

  @Override
  public void close() {
    watch.close();
  }
}
