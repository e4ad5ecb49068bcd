package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.TrimmedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.annotation.Accessor;
import io.github.stablecut.object.annotation.MutatorAccessor;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.object.collection.SharedMap;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Objects of a user's own class: operations, views, the past, and refusals. */
class SharedObjectTest {
  private static final StoreOptions FAST =
      StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1)));

  @TempDir private Path directory;

  private void inStore(Consumer<Store> test) {
    try (Store store = Stablecut.open(directory, FAST)) {
      test.accept(store);
    }
  }

  private static SharedObject<Stock> stock(ObjectSpace space) {
    return space.open("shop", "stock", Stock.TYPE);
  }

  @ParameterizedTest
  @EnumSource
  void executesCallsInOrder(View view) {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedObject<Stock> stock = space.open("shop", "stock", Stock.TYPE, view);
          assertThat(stock.state().items()).isEmpty();

          stock.call(Stock.PUT, "pen");
          stock.call(Stock.PUT, "ink");

          assertThat(stock.call(Stock.TAKE, "pen")).isTrue();
          assertThat(stock.call(Stock.TAKE, "pen")).isFalse();
          assertThat(stock.get(Stock::size)).isEqualTo(1);
          assertThat(stock.get(Stock.COUNT, "ink")).isEqualTo(1);
          assertThat(stock.position()).isEqualTo(4);
          stock(space).call(Stock.CLEAR);
          assertThat(stock.get(Stock::size)).isZero();
          stock.verify();
        });
  }

  @Test
  void aThrowingFunctionChangesNothing() {
    inStore(
        store -> {
          SharedObject<Stock> stock = stock(ObjectSpace.of(store));

          assertThatThrownBy(() -> stock.call(Stock.DEMAND, "pen"))
              .isInstanceOf(IllegalStateException.class)
              .hasMessage("no pen");
          assertThat(stock.position()).isZero();
          assertThatThrownBy(
                  () -> stock.space().transact(tx -> stock.in(tx).call(Stock.DEMAND, "pen")))
              .isInstanceOf(IllegalStateException.class);
          assertThat(stock.position()).isZero();
        });
  }

  @Test
  void aThrowingLoggedCallIsNoChangeForAnyReader() {
    Mutator<Stock, String> bad =
        Operation.mutator(
            "bad",
            Codec.string(),
            (stock, text) -> {
              throw new IllegalArgumentException(text);
            });
    ObjectType<Stock> type = Stock.TYPE.with(bad);
    inStore(
        store -> {
          SharedObject<Stock> stock = ObjectSpace.of(store).open("shop", "stock", type);
          stock.call(Stock.PUT, "pen");
          stock.call(bad, "x");

          assertThat(stock.state().items()).isEqualTo(Map.of("pen", 1));
          stock.verify();
        });
    inStore(
        store ->
            assertThat(ObjectSpace.of(store).open("shop", "stock", type).state().size())
                .isEqualTo(1));
  }

  @Test
  void viewsOfThePastStay() {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedObject<Stock> stock = stock(space);
          stock.call(Stock.PUT, "pen");
          CausalToken token = store.snapshot().token();
          stock.call(Stock.PUT, "ink");

          SharedObject<Stock> then = stock.in(ObjectSpace.of(store.at(token)));
          assertThat(then.state().items()).containsOnlyKeys("pen");
          assertThat(stock.stateAt(0).items()).isEmpty();
          assertThat(stock.stateAt(1)).isEqualTo(then.state());
          assertThatThrownBy(() -> stock.stateAt(3))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("has had 2 calls");
          assertThatThrownBy(() -> then.call(Stock.PUT, "x"))
              .isInstanceOf(UnsupportedOperationException.class);
        });
  }

  /** Enough calls for several summaries of the log. */
  @ParameterizedTest
  @EnumSource
  void anObjectOpensFromAStateAndTheCallsSince(View view) {
    int calls = 3_000;
    List<CausalToken> tokens = new ArrayList<>();
    inStore(
        store -> {
          SharedObject<Stock> stock = ObjectSpace.of(store).open("shop", "stock", Stock.TYPE, view);
          for (int i = 0; i < calls; i++) {
            stock.call(Stock.PUT, "article " + i % 7);
            if (i % 2 == 1) {
              assertThat(stock.call(Stock.TAKE, "article " + (i - 1) % 7)).isTrue();
            }
            if (i % 1_000 == 0) {
              tokens.add(store.snapshot().token());
            }
          }
          assertThat(stock.get(Stock::size)).isEqualTo(calls / 2);
          stock.verify();
          assertThat(store.read(stock.log().first())).isPositive();
          assertThat(stock.position()).isEqualTo(calls * 3 / 2);
          assertThatThrownBy(() -> stock.stateAt(1)).isInstanceOf(TrimmedException.class);
          store.checkpoint();
        });
    inStore(
        store -> {
          SharedObject<Stock> stock = stock(ObjectSpace.of(store));
          assertThat(stock.get(Stock::size)).isEqualTo(calls / 2);
          for (int i = 0; i < tokens.size(); i++) {
            SharedObject<Stock> then = stock.in(ObjectSpace.of(store.at(tokens.get(i))));
            assertThat(then.get(Stock::size)).isEqualTo(i * 500 + 1);
            assertThat(then.position()).isEqualTo(i * 1_500L + 1);
          }
        });
  }

  /** A space can't know whether a foreign transaction has earlier calls to come. */
  @Test
  void doesNotSummarizeInAForeignTransaction() {
    inStore(
        store -> {
          SharedObject<Stock> stock = stock(ObjectSpace.of(store));
          for (int i = 0; i < 10; i++) {
            store.run(
                transaction -> {
                  SharedObject<Stock> here = stock.in(ObjectSpace.of(transaction));
                  for (int call = 0; call < 100; call++) {
                    assertThat(here.call(Stock.TAKE, "no article of this name")).isFalse();
                  }
                });
          }
          assertThat(store.read(stock.log().first())).isZero();
          stock.space().run(tx -> assertThat(stock.in(tx).call(Stock.TAKE, "none")).isFalse());
          assertThat(store.read(stock.log().first())).isEqualTo(1_000);
        });
  }

  /** Others have summarized the missing calls meanwhile. */
  @Test
  void aLocalViewThatFellBehindCatchesUp() {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedObject<Stock> local = space.open("shop", "stock", Stock.TYPE, View.LOCAL);
          stock(space).call(Stock.PUT, "pen");
          assertThat(local.get(Stock::size)).isEqualTo(1);
          for (int i = 0; i < 1_000; i++) {
            assertThat(stock(space).call(Stock.TAKE, "no article of this name")).isFalse();
          }
          stock(space).call(Stock.PUT, "pen");

          assertThat(store.read(local.log().first())).isGreaterThan(1);
          assertThat(local.get(Stock::size)).isEqualTo(2);
        });
  }

  /** The state is larger than an operation may be: it is not summarized, and calls continue. */
  @Test
  void aStateThatTheStoreRefusesDoesNotBlockCalls() {
    String large = "x".repeat(9_000);
    StoreOptions small = FAST.withLimits(StoreOptions.Limits.defaults().withValueBytes(10_000));
    try (Store store = Stablecut.open(directory, small)) {
      ObjectSpace space = ObjectSpace.of(store);
      SharedMap<String, String> map =
          SharedMap.open(space, "b", "map", Codec.string(), Codec.string());
      for (int i = 0; i < 6; i++) {
        String key = "k" + i;
        map.put(key, large);
        space.run(tx -> map.in(tx).put(key + " in a transaction", large));
      }
      assertThat(map).hasSize(12);
      assertThat(store.read(map.object().log().first())).isZero();
    }
  }

  @Test
  void doesNotOpenAnObjectOfAnotherType() {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          stock(space).call(Stock.PUT, "pen");

          assertThatThrownBy(() -> SharedList.open(space, "shop", "stock", Codec.string()).size())
              .isInstanceOf(TypeMismatchException.class)
              .hasMessageContaining("of type stock, not of type list");
          assertThatThrownBy(() -> stock(space).call(Operation.mutator("no", state -> state)))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("no operation no");
          assertThatThrownBy(() -> Stock.TYPE.with(Stock.PUT))
              .isInstanceOf(IllegalArgumentException.class);
        });
  }

  @Test
  void namesNonDeterministicOperations() {
    AtomicLong clock = new AtomicLong();
    Mutator<Long, Operation.None> tick = Operation.mutator("tick", now -> clock.incrementAndGet());
    ObjectType<Long> type = ObjectType.of("clock", Codec.int64(), 0L).with(tick);
    inStore(
        store -> {
          SharedObject<Long> object = ObjectSpace.of(store).open("b", "clock", type);
          object.call(tick);

          assertThatThrownBy(object::verify)
              .isInstanceOf(NotDeterministicException.class)
              .hasMessageContaining("clock.tick")
              .hasMessageContaining("call 0");
        });
  }

  @Test
  void detectsAStateChangedFromOutside() {
    Mutator<List<String>, String> add =
        Operation.mutator(
            "add",
            Codec.string(),
            (list, element) -> {
              List<String> more = new ArrayList<>(list);
              more.add(element);
              return more;
            });
    ObjectType<List<String>> type =
        ObjectType.<List<String>>of(
                "leaky", Codec.string().map(list -> String.join(",", list), List::of), List.of())
            .with(add);
    inStore(
        store -> {
          SharedObject<List<String>> object = ObjectSpace.of(store).open("b", "leaky", type);
          object.call(add, "a");
          object.state().add("smuggled");

          assertThatThrownBy(object::verify)
              .isInstanceOf(NotDeterministicException.class)
              .hasMessageContaining("a state other than the one in memory");
        });
  }

  /** The users' view of a stock. */
  interface Shop {
    @io.github.stablecut.object.annotation.Mutator
    void put(String item);

    @MutatorAccessor
    boolean take(String item);

    @Accessor
    int count(String item);

    @io.github.stablecut.object.annotation.Mutator
    void clear();
  }

  interface WithoutAnnotation {
    void put(String item);
  }

  interface Unknown {
    @Accessor
    int nothing();
  }

  @Test
  void anInterfaceWithAnnotationsStandsForAnObject() {
    inStore(
        store -> {
          SharedObject<Stock> stock = stock(ObjectSpace.of(store));
          Shop shop = stock.as(Shop.class);
          shop.put("pen");
          shop.put("pen");

          assertThat(shop.take("pen")).isTrue();
          assertThat(shop.count("pen")).isEqualTo(1);
          shop.clear();
          assertThat(shop.count("pen")).isZero();
          assertThat(shop).hasToString("Shop of " + stock).isEqualTo(shop).isNotEqualTo(stock);
          assertThatThrownBy(() -> stock.as(WithoutAnnotation.class))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("it is a @Mutator");
          assertThatThrownBy(() -> stock.as(Unknown.class))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("no operation of this name");
          assertThatThrownBy(() -> stock.as(Stock.class))
              .isInstanceOf(IllegalArgumentException.class);
        });
  }
}
