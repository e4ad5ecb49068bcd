package io.github.stablecut.key;

import io.github.stablecut.Store;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TypeMismatchException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The name of an object together with its type. A key names an object in a bucket, or one inside
 * another object: the keys of maps create the keys of objects in them. The first update of a stored
 * object fixes its type; keys of other types are rejected from then on. In a map, objects of
 * different types with the same name are different objects.
 *
 * <p>A key is a value: creating one has no effect on a store. Immutable.
 *
 * @param <V> the type of the object's value
 */
public abstract sealed class Key<V> implements Query<V>
    permits BoundedCounterKey,
        CounterKey,
        CounterMapKey,
        ExpiringKey,
        FlagKey,
        MultiValueRegisterKey,
        ObjectKey,
        ObjectMapKey,
        RegisterKey,
        SequenceKey,
        SetKey,
        StateKey,
        StreamKey,
        ViewKey {
  /** The maximum size of bucket and key together, in bytes: 32 KiB. */
  public static final int MAX_BYTES = 32 << 10;

  private final ObjectPath path;
  private final CrdtType<?, Object, ?, Object> type;

  /**
   * The type as readers with this key see it, whose values may differ from those of {@link #type}.
   */
  private final CrdtType<?, Object, ?, Object> shown;

  private final Function<Object, V> view;
  private final CrdtType<?, ?, ?, ?> stored;

  // Needed by every read, so computed once.
  private final Bytes id;
  private final boolean isStored;
  private final boolean dependsOnTime;

  /**
   * @param view converts the type's values into those that readers see
   */
  <W> Key(ObjectPath path, CrdtType<?, ?, ?, W> type, Function<? super W, ? extends V> view) {
    this(path, type, type, view);
  }

  /**
   * @param shown the same type, with other values for readers
   * @param view converts values of the shown type into those that readers see
   */
  @SuppressWarnings("unchecked") // the view receives only values of the shown type
  <W> Key(
      ObjectPath path,
      CrdtType<?, ?, ?, ?> type,
      CrdtType<?, ?, ?, W> shown,
      Function<? super W, ? extends V> view) {
    this.path = path;
    this.type = PathStep.untyped(Objects.requireNonNull(type, "type"));
    this.shown = PathStep.untyped(shown);
    this.view = (Function<Object, V>) view;
    this.stored = path.storedType(this.type);
    this.id = path.id();
    this.isStored = path.steps().isEmpty();
    this.dependsOnTime = stored.dependsOnTime();
  }

  /** A counter that can be incremented and decremented. */
  public static CounterKey counter(String bucket, String key) {
    return new CounterKey(ObjectPath.of(bucket, key));
  }

  /** A counter that can be reset. */
  public static ResettableCounterKey resettableCounter(String bucket, String key) {
    return new ResettableCounterKey(ObjectPath.of(bucket, key));
  }

  /** A counter that never falls below 0. */
  public static BoundedCounterKey boundedCounter(String bucket, String key) {
    return new BoundedCounterKey(ObjectPath.of(bucket, key));
  }

  /** A register in which the last writer wins. */
  public static <T> RegisterKey<T> register(String bucket, String key, Codec<T> values) {
    ObjectPath path = ObjectPath.of(bucket, key);
    return new RegisterKey<>(path, path.codec(values));
  }

  /** A register that keeps all concurrently assigned values. */
  public static <T> MultiValueRegisterKey<T> multiValueRegister(
      String bucket, String key, Codec<T> values) {
    ObjectPath path = ObjectPath.of(bucket, key);
    return new MultiValueRegisterKey<>(path, path.codec(values));
  }

  /** A set without removal. */
  public static <T> GrowOnlySetKey<T> growOnlySet(String bucket, String key, Codec<T> elements) {
    ObjectPath path = ObjectPath.of(bucket, key);
    return new GrowOnlySetKey<>(path, path.codec(elements));
  }

  /** A set in which an addition wins over a concurrent removal. */
  public static <T> AddWinsSetKey<T> addWinsSet(String bucket, String key, Codec<T> elements) {
    ObjectPath path = ObjectPath.of(bucket, key);
    return new AddWinsSetKey<>(path, path.codec(elements));
  }

  /** A set in which a removal wins over a concurrent addition. */
  public static <T> RemoveWinsSetKey<T> removeWinsSet(
      String bucket, String key, Codec<T> elements) {
    ObjectPath path = ObjectPath.of(bucket, key);
    return new RemoveWinsSetKey<>(path, path.codec(elements));
  }

  /** A flag for which enabling wins over concurrent disabling. */
  public static FlagKey enableWinsFlag(String bucket, String key) {
    return FlagKey.enableWins(ObjectPath.of(bucket, key));
  }

  /** A flag for which disabling wins over concurrent enabling. */
  public static FlagKey disableWinsFlag(String bucket, String key) {
    return FlagKey.disableWins(ObjectPath.of(bucket, key));
  }

  /** An object that contains many counters. */
  public static <T> CounterMapKey<T> counterMap(String bucket, String key, Codec<T> names) {
    ObjectPath path = ObjectPath.of(bucket, key);
    return new CounterMapKey<>(path, path.codec(names));
  }

  /** A list that is edited by position. */
  public static <T> ListKey<T> list(String bucket, String key, Codec<T> elements) {
    ObjectPath path = ObjectPath.of(bucket, key);
    return new ListKey<>(path, path.codec(elements));
  }

  /** A text that is edited by position. */
  public static TextKey text(String bucket, String key) {
    return new TextKey(ObjectPath.of(bucket, key));
  }

  /** A stream of entries with consecutive positions. */
  public static <T> StreamKey<T> stream(String bucket, String key, Codec<T> entries) {
    ObjectPath path = ObjectPath.of(bucket, key);
    return new StreamKey<>(path, path.codec(entries));
  }

  /** A map of objects without removal. */
  public static GrowOnlyMapKey growOnlyMap(String bucket, String key) {
    return new GrowOnlyMapKey(ObjectPath.of(bucket, key));
  }

  /** A map of objects with removal. */
  public static RecursiveMapKey map(String bucket, String key) {
    return new RecursiveMapKey(ObjectPath.of(bucket, key));
  }

  /** An object of any type, with the type's own operations and values. */
  public static <O, V> ObjectKey<O, V> of(Bytes bucket, Bytes key, CrdtType<?, O, ?, V> type) {
    return new ObjectKey<>(ObjectPath.of(bucket, key), type);
  }

  /**
   * The key of the object with an id from {@link #id(Bytes, Bytes)}. For implementations of {@link
   * Store}.
   */
  public static Key<?> ofId(Bytes id, CrdtType<?, ?, ?, ?> type) {
    return of(ObjectIds.bucket(id), ObjectIds.key(id), type);
  }

  /**
   * A key that reads the state of a stored object, in order to send it elsewhere. For
   * implementations of {@link Store}.
   *
   * @param id an id that {@link #id(Bytes, Bytes)} returned
   */
  public static Key<Object> stateOf(Bytes id, CrdtType<?, ?, ?, ?> type) {
    return new StateKey(ObjectPath.of(ObjectIds.bucket(id), ObjectIds.key(id)), type);
  }

  /**
   * The id of an object. For a key prefix, this is the common prefix of the ids of all objects in
   * the bucket whose keys start with it. For implementations of {@link Store}.
   */
  public static Bytes id(Bytes bucket, Bytes key) {
    return ObjectIds.of(bucket, key);
  }

  /**
   * The bucket in an id.
   *
   * @throws io.github.stablecut.crdt.FormatException if the bytes are not an id
   */
  public static Bytes bucketOf(Bytes id) {
    return ObjectIds.bucket(id);
  }

  /**
   * The key in an id.
   *
   * @throws io.github.stablecut.crdt.FormatException if the bytes are not an id
   */
  public static Bytes keyOf(Bytes id) {
    return ObjectIds.key(id);
  }

  /**
   * Formats an id for messages, such as {@code "42/likes" in bucket "posts"}; returns the bytes as
   * text if they are not an id.
   */
  public static String nameOf(Bytes id) {
    try {
      return keyOf(id) + " in bucket " + bucketOf(id);
    } catch (FormatException e) {
      return id.toString();
    }
  }

  /**
   * Checks that the type of a key is that of its object. For implementations of {@code Store}.
   *
   * @param id the object's id
   * @param used the type of the key
   * @param actual the type of the object
   * @throws TypeMismatchException if they differ
   */
  public static void checkType(Bytes id, CrdtType<?, ?, ?, ?> used, CrdtType<?, ?, ?, ?> actual) {
    if (used != actual && used.typeId() != actual.typeId()) {
      throw mismatch(id, used, List.of(actual));
    }
  }

  /**
   * The exception for a key whose type its object does not have. For implementations of {@code
   * Store}.
   *
   * @param used the type of the key
   * @param actual the types of the object
   */
  public static TypeMismatchException mismatch(
      Bytes id, CrdtType<?, ?, ?, ?> used, Collection<? extends CrdtType<?, ?, ?, ?>> actual) {
    return new TypeMismatchException(
        "object %s is %s, not %s: use the right kind of key"
            .formatted(nameOf(id), namesOfTypes(actual), withArticle(used)));
  }

  /** Formats types for messages, such as {@code a counter and an add-wins set}. */
  public static String namesOfTypes(Collection<? extends CrdtType<?, ?, ?, ?>> types) {
    return types.stream().map(Key::withArticle).collect(Collectors.joining(" and "));
  }

  private static String withArticle(CrdtType<?, ?, ?, ?> type) {
    String name = type.name();
    return ("aeiou".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
  }

  /** Like {@link #nameOf}, for several objects. */
  public static String namesOf(Collection<Bytes> ids) {
    return ids.stream().map(Key::nameOf).collect(Collectors.joining(", "));
  }

  /**
   * The key of a variant of an object that expires at a settable time. The variant has another
   * type, so an object that is already stored cannot be made to expire.
   *
   * @param key the key of an object that does not expire, in a bucket or in a map
   * @throws IllegalArgumentException if the key's object already expires
   */
  public static <K extends Key<?>> ExpiringKey<K> expiring(K key) {
    return new ExpiringKey<>(key);
  }

  /**
   * Adds a partition key to a key. In a store with several partitions, the objects of a bucket with
   * equal partition keys are on one partition, and a scan ({@link
   * io.github.stablecut.option.ScanOptions#bucket(Bytes, Bytes)}) returns them consecutively. Text
   * in braces within a key is equivalent: objects with the partition key {@code 42} are on the same
   * partition as those whose keys contain <code>{42}</code>. The partition key is part of {@link
   * #key()}.
   *
   * @param key a key without a partition key, of an object in a bucket or in a map
   * @throws IllegalArgumentException if the key already has a partition key
   * @throws LimitExceededException if bucket and key become longer than {@link #MAX_BYTES}
   */
  @SuppressWarnings("unchecked") // at() returns a key of the same class
  public static <K extends Key<?>> K withPartitionKey(Bytes partitionKey, K key) {
    return (K) key.at(key.path().withPartitionKey(partitionKey));
  }

  /**
   * The key of another stored object, or of the same part of it, by an example: for an object that
   * a scan found, for instance.
   *
   * @param bucket the other object's bucket
   * @param key the other object's key, including its partition key if it has one
   */
  @SuppressWarnings("unchecked") // at() returns a key of the same class
  public static <K extends Key<?>> K alike(K example, Bytes bucket, Bytes key) {
    return (K) example.at(example.path().elsewhere(bucket, key));
  }

  /**
   * Converts a value of the stored object's type into the value that a reader with this key sees.
   *
   * @throws IllegalArgumentException if this key reads something other than the value, as the key
   *     of an expiring object does; {@link ExpiringKey#object} returns the key of its content
   */
  public final V viewOf(Object value) {
    if (!shown.equals(type)) {
      throw new IllegalArgumentException(
          this + " does not read the object's value: read this key from the store instead");
    }
    return view.apply(path.ofStored(shown, value));
  }

  /** The bucket of the stored object, a name for a family of objects. */
  public final Bytes bucket() {
    return path.bucket();
  }

  /** The stored object's name in its bucket. */
  public final Bytes key() {
    return path.key();
  }

  /** The partition key in {@link #key()}; empty if it has none. */
  public final Optional<Bytes> partitionKey() {
    return PartitionKeys.of(key());
  }

  /** The stored object's type; for an object in a map, the type of the outermost map. */
  public final CrdtType<?, ?, ?, ?> type() {
    return stored;
  }

  /** Bucket and key as one byte string. Ids sort by bucket, then by key. */
  public final Bytes id() {
    return id;
  }

  /** Whether the value may change as time passes ({@link CrdtType#dependsOnTime}). */
  public final boolean dependsOnTime() {
    return dependsOnTime;
  }

  /** Returns this key, which stands for the object's value. */
  @Override
  public final Key<V> target() {
    return this;
  }

  /**
   * The footprint of the object's value in the stored object. For implementations of {@link Store}.
   */
  public final Footprint footprint() {
    return path.footprintIn(type, Footprint.whole());
  }

  /**
   * For an object in a map, a question whose answer is the object's value, so that the rest of the
   * map need not be read; empty if there is none. For implementations of {@link Store}.
   */
  public final Optional<ObjectQuery<?, V>> valueInMap() {
    return isStored ? Optional.empty() : valueQuery();
  }

  /** The question whose answer is the object's whole value; empty if there is none. */
  Optional<ObjectQuery<?, V>> valueQuery() {
    return Optional.empty();
  }

  /** A question about the object. */
  final <A> ObjectQuery<A, A> ask(Question<A> question) {
    return ObjectQuery.of(this, question, answer -> answer, answer -> answer);
  }

  /**
   * A question about the object, with decoded answers.
   *
   * @param encoding the inverse of the decoding
   */
  final <A, W> ObjectQuery<A, W> ask(
      Question<A> question,
      Function<? super A, ? extends W> decoding,
      Function<? super W, ? extends A> encoding) {
    return ObjectQuery.of(this, question, decoding, encoding);
  }

  @Override
  public V view(Object state, VectorClock snapshot) {
    return view.apply(valueOf(state, snapshot));
  }

  private Object valueOf(Object state, VectorClock snapshot) {
    try {
      return isStored
          ? ObjectPath.valueOf(shown, state, snapshot)
          : path.valueIn(state, shown, snapshot);
    } catch (LimitExceededException e) {
      throw UnreadableValue.named(this, e);
    }
  }

  final ObjectPath path() {
    return path;
  }

  /** The object's own type, even inside a map. */
  final CrdtType<?, Object, ?, Object> ownType() {
    return type;
  }

  /** Extracts the object's value from the value of a map that contains it. */
  final V viewAt(ObjectPath map, PathStep.MapKind kind, Object value) {
    return view.apply(
        path.valueAt(map, kind, shown, value)
            .orElseThrow(() -> new IllegalArgumentException(this + " is not in " + map)));
  }

  /** An update with an operation of the object's type. */
  final Update updateBy(Object operation) {
    return new Update(this, operation);
  }

  /** The key of an object of the same type at another path. */
  abstract Key<V> at(ObjectPath other);

  /**
   * Keys are equal if they have the same object and type and read the same, regardless of their
   * codecs.
   */
  @Override
  public final boolean equals(Object other) {
    return other instanceof Key<?> that
        && path.equals(that.path)
        && type.equals(that.type)
        && shown.equals(that.shown);
  }

  @Override
  public final int hashCode() {
    return 31 * path.hashCode() + type.typeId();
  }

  @Override
  public final String toString() {
    return type.name() + " " + path;
  }
}
