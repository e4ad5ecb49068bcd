package io.github.stablecut.object;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.Operation.Accessor;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.Operation.Outcome;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The stock of each article: an object as a user writes it. */
record Stock(Map<String, Integer> items) {
  static final Codec<Stock> CODEC = Codec.string().map(Stock::toText, Stock::ofText);

  static final Mutator<Stock, String> PUT =
      Operation.mutator("put", Codec.string(), (stock, item) -> stock.with(item, 1));

  static final Mutator<Stock, None> CLEAR =
      Operation.mutator("clear", stock -> new Stock(Map.of()));

  static final MutatorAccessor<Stock, String, Boolean> TAKE =
      Operation.mutatorAccessor(
          "take",
          Codec.string(),
          (stock, item) ->
              stock.count(item) == 0
                  ? new Outcome<>(stock, false)
                  : new Outcome<>(stock.with(item, -1), true));

  /** Refuses by throwing. */
  static final MutatorAccessor<Stock, String, Integer> DEMAND =
      Operation.mutatorAccessor(
          "demand",
          Codec.string(),
          (stock, item) -> {
            if (stock.count(item) == 0) {
              throw new IllegalStateException("no " + item);
            }
            return new Outcome<>(stock.with(item, -1), stock.count(item) - 1);
          });

  static final Accessor<Stock, String, Integer> COUNT = Operation.accessor("count", Stock::count);

  static final ObjectType<Stock> TYPE =
      ObjectType.of("stock", CODEC, new Stock(Map.of())).with(PUT, CLEAR, TAKE, DEMAND, COUNT);

  Stock {
    items = Map.copyOf(items);
  }

  int count(String item) {
    return items.getOrDefault(item, 0);
  }

  int size() {
    return items.values().stream().mapToInt(Integer::intValue).sum();
  }

  private Stock with(String item, int more) {
    Map<String, Integer> changed = new TreeMap<>(items);
    int count = count(item) + more;
    if (count == 0) {
      changed.remove(item);
    } else {
      changed.put(item, count);
    }
    return new Stock(changed);
  }

  private String toText() {
    return new TreeMap<>(items)
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(","));
  }

  private static Stock ofText(String text) {
    return new Stock(
        Arrays.stream(text.split(",", -1))
            .filter(part -> !part.isEmpty())
            .map(part -> part.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> Integer.valueOf(pair[1]))));
  }
}
