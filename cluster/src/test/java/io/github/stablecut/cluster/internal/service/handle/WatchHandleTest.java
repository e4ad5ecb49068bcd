package io.github.stablecut.cluster.internal.service.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.service.TestService;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.transaction.PeekableWatch;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watches of clients, and how many changes a call takes. */
class WatchHandleTest {
  private static final RegisterKey<Bytes> VALUE = Key.register("b", "value", Codec.bytes());
  private static final int LARGE = 300 << 10;

  @TempDir Path directory;

  private final LargeAnswers answers = new LargeAnswers(Duration.ofMillis(10));

  private Answer.Changes take(WatchHandle watch, Client client) throws InterruptedException {
    AnswerBytes bytes = new AnswerBytes(1 << 30, Optional.of(client.largeAnswerPermit(answers)));
    return (Answer.Changes) watch.take(Integer.MAX_VALUE, 10_000, bytes);
  }

  @Test
  void aLargeChangeNeedsAPermitAndIsNotLost() throws InterruptedException {
    List<Client> others = List.of(TestService.client(), TestService.client());
    Client client = TestService.client();
    try (Store store = Stablecut.open(directory)) {
      WatchHandle watch =
          new WatchHandle(
              options -> (PeekableWatch) store.watch("b", "", options),
              WatchOptions.fromNow().withEffects());
      var small = store.update(VALUE.assign(Bytes.EMPTY));
      var large = store.update(VALUE.assign(Bytes.wrap(new byte[LARGE])));
      others.forEach(other -> other.largeAnswerPermit(answers).acquire());

      Answer.Changes first = take(watch, client);
      assertThat(first.changes()).hasSize(1);
      assertThat(first.position()).isEqualTo(small);
      assertThatThrownBy(() -> take(watch, client)).isInstanceOf(BusyException.class);
      others.forEach(Client::answered);

      Answer.Changes second = take(watch, client);
      assertThat(second.changes()).hasSize(1);
      assertThat(second.changes().get(0).token()).isEqualTo(large);
      client.answered();
      watch.close();
    }
  }

  /** A watch whose changes were discarded because all watches together held too much. */
  private static PeekableWatch crowdedOut(PeekableWatch watch) {
    return (PeekableWatch)
        Proxy.newProxyInstance(
            WatchHandleTest.class.getClassLoader(),
            new Class<?>[] {PeekableWatch.class},
            (proxy, method, arguments) ->
                method.getName().equals("tryRemove") ? false : method.invoke(watch, arguments));
  }

  @Test
  void aWatchThatLostItsPlaceWhileItReopenedContinuesLater() throws InterruptedException {
    StoreOptions single =
        StoreOptions.defaults().withLimits(StoreOptions.Limits.defaults().withOpenWatches(1));
    List<Store> stores = new ArrayList<>();
    List<Watch> others = new ArrayList<>();
    Function<WatchOptions, PeekableWatch> open =
        options -> {
          Store store = stores.get(0);
          if (options.after().isEmpty()) {
            return crowdedOut((PeekableWatch) store.watch("b", "", options));
          }
          if (others.isEmpty()) {
            others.add(store.watch("b", "", WatchOptions.fromNow()));
          }
          return (PeekableWatch) store.watch("b", "", options);
        };
    try (Store store = Stablecut.open(directory, single)) {
      stores.add(store);
      Client client = TestService.client();
      WatchHandle watch = new WatchHandle(open, WatchOptions.fromNow().withEffects());
      var large = store.update(VALUE.assign(Bytes.wrap(new byte[LARGE])));

      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> take(watch, client))
            .isInstanceOf(BusyException.class)
            .hasMessageContaining("store.max-watches");
      }
      others.forEach(Watch::close);

      assertThat(take(watch, client).changes().get(0).token()).isEqualTo(large);
      client.answered();
      watch.close();
    }
  }

  @Test
  void theServerLimitsTheBuffer() {
    WatchOptions wanted = WatchOptions.fromNow().withEffects();

    assertThat(WatchHandle.limited(wanted.buffer(1_000_000))).isEqualTo(wanted.buffer(16_384));
    assertThat(WatchHandle.limited(wanted.buffer(7))).isEqualTo(wanted.buffer(7));
  }
}
