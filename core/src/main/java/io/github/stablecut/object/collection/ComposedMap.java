package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.Operation;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.object.SharedObject;
import io.github.stablecut.object.StoreSpace;
import io.github.stablecut.object.TransactionSpace;
import io.github.stablecut.object.View;
import io.github.stablecut.object.collection.MapType.Pair;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A map composed of maps (composable state machine replication; Wei et al., NSDI 2017, section 5).
 * A base object stores the number of buckets, and each bucket is an object. A method about one key
 * calls one bucket, so writers of different keys seldom conflict, and a reader opens only one
 * bucket. {@link #size} and views read all buckets at one snapshot, and {@link #clear} is a
 * transaction over them.
 *
 * <p>The buckets of a map {@code k} are the objects {@code k/0}, {@code k/1} and so on: give no
 * other object such a name.
 */
public final class ComposedMap<K, V> extends KeyedMap<K, V> {
  /** The maximum number of buckets. */
  public static final int MAX_BUCKETS = 1 << 16;

  /** Generates seeds that choosers of keys can't guess. */
  private static final SecureRandom SEEDS = new SecureRandom();

  /**
   * The distribution of keys; fixed when the map is created.
   *
   * @param buckets how many there are
   * @param seed the key of the permutation
   */
  private record Spread(int buckets, long seed) {
    private static final Codec<Spread> CODEC =
        CollectionCodecs.codec(
            (spread, out) -> {
              out.writeUnsigned(spread.buckets);
              out.writeSigned(spread.seed);
            },
            in -> new Spread(in.readIndex(), in.readSigned()));
  }

  private static final MutatorAccessor<Optional<Spread>, Spread, Spread> CREATE =
      Operation.mutatorAccessor(
          "create",
          Spread.CODEC,
          (otherFacts, requestedBuckets) ->
              new Outcome<>(
                  Optional.of(otherFacts.orElse(requestedBuckets)),
                  otherFacts.orElse(requestedBuckets)));

  private static final ObjectType<Optional<Spread>> BASE =
      ObjectType.of(
              "composed map",
              CollectionCodecs.<Optional<Spread>>codec(
                  (spread, out) -> out.writeOptionalBytes(spread.map(Spread.CODEC::encode)),
                  in -> in.readOptionalBytes().map(Spread.CODEC::decode)),
              Optional.<Spread>empty())
          .with(CREATE);

  private final ObjectSpace space;
  private final String bucket;
  private final String key;
  private final int requestedBuckets;
  private final SharedObject<Optional<Spread>> base;
  private final CachedFacts known;

  /** Cached facts about the map, shared by its handles in other spaces of the same store. */
  private static final class CachedFacts {
    /**
     * The space in which buckets are opened: the store, because a cached transaction would be
     * retained.
     */
    private final ObjectSpace space;

    private final Map<Integer, SharedObject<Tree<Pair>>> opened = new ConcurrentHashMap<>();

    /** The content of the base, which never changes. */
    private volatile Optional<Spread> spread = Optional.empty();

    CachedFacts(ObjectSpace opened) {
      space = StoreSpace.originOf(opened).<ObjectSpace>map(store -> store).orElse(opened);
    }
  }

  private ComposedMap(
      ObjectSpace space,
      String bucket,
      String key,
      int requestedBuckets,
      SharedObject<Optional<Spread>> base,
      Codec<K> keys,
      Codec<V> values,
      CachedFacts known) {
    super(keys, values);
    this.space = space;
    this.bucket = bucket;
    this.key = key;
    this.requestedBuckets = requestedBuckets;
    this.base = base;
    this.known = known;
  }

  /**
   * Opens a map; its first change creates it.
   *
   * @param buckets how many objects it is composed of, 1 to {@value #MAX_BUCKETS}; ignored if the
   *     map exists
   */
  public static <K, V> ComposedMap<K, V> open(
      ObjectSpace space, String bucket, String key, int buckets, Codec<K> keys, Codec<V> values) {
    if (buckets < 1 || buckets > MAX_BUCKETS) {
      throw new IllegalArgumentException(
          "a composed map has 1 to %,d buckets, not %,d".formatted(MAX_BUCKETS, buckets));
    }
    return new ComposedMap<>(
        space,
        bucket,
        key,
        buckets,
        space.open(bucket, key, BASE),
        keys,
        values,
        new CachedFacts(space));
  }

  /** Returns the same map in another space, such as a transaction. */
  public ComposedMap<K, V> in(ObjectSpace other) {
    CachedFacts otherFacts =
        StoreSpace.areOfOneStore(space, other) ? known : new CachedFacts(other);
    return new ComposedMap<>(
        other,
        bucket,
        key,
        requestedBuckets,
        base.in(other),
        keys.codec(),
        values.codec(),
        otherFacts);
  }

  /** Returns the number of buckets; 0 if the map does not exist yet. */
  public int buckets() {
    return spread().map(Spread::buckets).orElse(0);
  }

  private Optional<Spread> spread() {
    Optional<Spread> spread = known.spread;
    if (spread.isPresent()) {
      return spread;
    }
    Optional<Spread> found = base.state();
    if (!(space instanceof TransactionSpace)) {
      known.spread = found; // durable
    }
    return found;
  }

  private Spread created() {
    return spread()
        .orElseGet(() -> base.call(CREATE, new Spread(requestedBuckets, SEEDS.nextLong())));
  }

  private SharedObject<Tree<Pair>> bucket(int number) {
    return known
        .opened
        .computeIfAbsent(
            number,
            n -> base.home().open(known.space, bucket, key + "/" + n, MapType.TYPE, View.REMOTE))
        .in(space);
  }

  /** Returns the number of the bucket that has a key. */
  private static int numberOf(Bytes of, Spread spread) {
    return (int)
        Long.remainderUnsigned(Permutation.of(Permutation.hash(of), spread.seed), spread.buckets);
  }

  /** Returns the number of the bucket that has a key; the map must exist. */
  int bucketOf(K one) {
    return numberOf(keys.encode(one), spread().orElseThrow());
  }

  @Override
  <R> R read(Bytes of, R none, Function<SharedObject<Tree<Pair>>, R> call) {
    Optional<Spread> spread = spread();
    return spread.isEmpty() ? none : call.apply(bucket(numberOf(of, spread.get())));
  }

  @Override
  <R> R change(Bytes of, Function<SharedObject<Tree<Pair>>, R> call) {
    return call.apply(bucket(numberOf(of, created())));
  }

  @Override
  <R> R changeExisting(Bytes of, R none, Function<SharedObject<Tree<Pair>>, R> call) {
    return read(of, none, call);
  }

  @Override
  void putPairs(List<Pair> pairs) {
    inBuckets(pairs, Pair::key, created(), MapType.PUT_ALL);
  }

  @Override
  void removeKeys(List<Bytes> removed) {
    spread().ifPresent(spread -> inBuckets(removed, key -> key, spread, MapType.REMOVE_ALL));
  }

  /** Groups items by bucket, and calls each bucket with its own. */
  private <T> void inBuckets(
      List<T> all,
      Function<T, Bytes> keyOf,
      Spread spread,
      Operation.Mutator<Tree<Pair>, List<T>> call) {
    Map<Integer, List<T>> ofBuckets = new TreeMap<>();
    for (T one : all) {
      ofBuckets
          .computeIfAbsent(numberOf(keyOf.apply(one), spread), number -> new ArrayList<>())
          .add(one);
    }
    space.run(tx -> ofBuckets.forEach((number, some) -> bucket(number).in(tx).call(call, some)));
  }

  @Override
  <R> R transact(Function<KeyedMap<K, V>, R> body) {
    return space.transact(tx -> body.apply(in(tx)));
  }

  @Override
  public int size() {
    return space.snapshot(
        then -> {
          ComposedMap<K, V> map = in(then);
          return IntStream.range(0, map.buckets())
              .map(number -> map.bucket(number).get(MapType.SIZE))
              .sum();
        });
  }

  @Override
  Iterator<Pair> pairs() {
    return space.snapshot(
        then -> {
          ComposedMap<K, V> map = in(then);
          return IntStream.range(0, map.buckets())
              .boxed()
              .flatMap(number -> map.bucket(number).state().toList().stream())
              .toList()
              .iterator();
        });
  }

  @Override
  public void clear() {
    space.run(
        tx -> {
          ComposedMap<K, V> map = in(tx);
          for (int number = 0; number < map.buckets(); number++) {
            SharedObject<Tree<Pair>> bucket = map.bucket(number);
            if (bucket.get(MapType.SIZE) > 0) {
              bucket.call(MapType.CLEAR);
            }
          }
        });
  }
}
