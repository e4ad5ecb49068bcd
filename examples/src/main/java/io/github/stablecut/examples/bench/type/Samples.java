package io.github.stablecut.examples.bench.type;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Names in a pseudo-random order. Each request returns a new copy of the bytes, as if the name came
 * from outside. Confined to one thread.
 */
public final class Samples {
  private static final int STEP = 7919;

  private final byte[][] names;
  private int next;

  private Samples(byte[][] names) {
    this.names = names;
  }

  /** Names of sixteen bytes with a common beginning; different endings give different names. */
  public static Samples of(int count, char ending) {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, count).boxed().toList());
    Collections.shuffle(numbers, new Random(1));
    byte[][] names = new byte[count][];
    for (int i = 0; i < count; i++) {
      names[i] = "element-%07d%s".formatted(numbers.get(i), ending).getBytes(US_ASCII);
    }
    return new Samples(names);
  }

  public List<Bytes> all() {
    return Arrays.stream(names).map(Bytes::copyOf).toList();
  }

  /** The next name. */
  Bytes some() {
    next = (next + STEP) % names.length;
    return Bytes.wrap(names[next]);
  }
}
