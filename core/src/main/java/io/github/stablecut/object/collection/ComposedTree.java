package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.HomeDataCentre;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.SharedObject;
import io.github.stablecut.object.StoreSpace;
import io.github.stablecut.object.View;
import io.github.stablecut.object.collection.MapType.Pair;
import io.github.stablecut.object.collection.TreeType.Child;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A map in the order of its keys' bytes, composed of the nodes of a B-tree, each of which is an
 * object (Wei et al., NSDI 2017, section 5). References to nodes have no version: the snapshot or
 * transaction that follows them determines what it finds, so a change of a node changes no other
 * one. Transactions conflict if they use the same leaf, or if one splits a node that the other
 * uses.
 *
 * <p>The nodes of a map {@code k} are objects whose names begin with {@code k/}: give no other
 * object such a name.
 *
 * <p>A leaf that becomes empty leaves the tree; nodes are never merged.
 */
public final class ComposedTree<K, V> extends KeyedMap<K, V> {
  /** The maximum number of entries of a node; one with more is split. */
  static final int MAX_ENTRIES = 64;

  /** Generates ids of nodes, which must not collide with those of other processes. */
  private static final SecureRandom IDS = new SecureRandom();

  private final ObjectSpace space;
  private final String bucket;
  private final String key;
  private final HomeDataCentre home;

  private ComposedTree(
      ObjectSpace space,
      String bucket,
      String key,
      HomeDataCentre home,
      Codec<K> keys,
      Codec<V> values) {
    super(keys, values);
    this.space = space;
    this.bucket = bucket;
    this.key = key;
    this.home = home;
  }

  /** Opens a map. */
  public static <K, V> ComposedTree<K, V> open(
      ObjectSpace space, String bucket, String key, Codec<K> keys, Codec<V> values) {
    return new ComposedTree<>(space, bucket, key, HomeDataCentre.of(space), keys, values);
  }

  /** Returns the same map in another space, such as a transaction. */
  public ComposedTree<K, V> in(ObjectSpace other) {
    HomeDataCentre otherHome = StoreSpace.areOfOneStore(space, other) ? home : home.in(other);
    return new ComposedTree<>(other, bucket, key, otherHome, keys.codec(), values.codec());
  }

  /**
   * The path from the root to a leaf.
   *
   * @param until the exclusive upper bound of the leaf's keys; empty for the last leaf
   */
  private record LeafPath(
      List<SharedObject<Tree<Child>>> inners, Child leaf, Optional<Bytes> until) {}

  private SharedObject<Optional<Child>> base() {
    return opened(key, TreeType.BASE);
  }

  private SharedObject<Tree<Child>> inner(Child node) {
    return opened(nameOf(node), TreeType.INNER);
  }

  private SharedObject<Tree<Pair>> leaf(Child node) {
    return opened(nameOf(node), MapType.TYPE);
  }

  private <S> SharedObject<S> opened(String name, ObjectType<S> type) {
    return home.open(space, bucket, name, type, View.REMOTE);
  }

  private String nameOf(Child node) {
    return key + "/" + Long.toUnsignedString(node.id(), Character.MAX_RADIX);
  }

  private LeafPath wayTo(Child root, Bytes of) {
    List<SharedObject<Tree<Child>>> inners = new ArrayList<>();
    Child node = root;
    Optional<Bytes> until = Optional.empty();
    while (!node.isLeaf()) {
      SharedObject<Tree<Child>> inner = inner(node);
      inners.add(inner);
      Tree<Child> children = inner.state();
      int index = TreeType.childOf(children, of);
      node = children.get(index);
      if (index + 1 < children.size()) {
        until = Optional.of(children.get(index + 1).bound());
      }
    }
    return new LeafPath(inners, node, until);
  }

  @Override
  <R> R read(Bytes of, R none, Function<SharedObject<Tree<Pair>>, R> call) {
    return space.snapshot(
        then -> {
          ComposedTree<K, V> tree = in(then);
          Optional<Child> root = tree.base().state();
          return root.isEmpty() ? none : call.apply(tree.leaf(tree.wayTo(root.get(), of).leaf));
        });
  }

  @Override
  <R> R change(Bytes of, Function<SharedObject<Tree<Pair>>, R> call) {
    return space.transact(tx -> in(tx).changeHere(of, call));
  }

  @Override
  <R> R changeExisting(Bytes of, R none, Function<SharedObject<Tree<Pair>>, R> call) {
    return space.transact(
        tx -> {
          ComposedTree<K, V> tree = in(tx);
          return tree.base().state().isEmpty() ? none : tree.changeHere(of, call);
        });
  }

  private <R> R changeHere(Bytes of, Function<SharedObject<Tree<Pair>>, R> call) {
    return changeAt(wayTo(root(), of), call);
  }

  private Child root() {
    return base().state().orElseGet(this::newRoot);
  }

  @CanIgnoreReturnValue
  private <R> R changeAt(LeafPath way, Function<SharedObject<Tree<Pair>>, R> call) {
    SharedObject<Tree<Pair>> leaf = leaf(way.leaf);
    R result = call.apply(leaf);
    Tree<Pair> pairs = leaf.state();
    if (pairs.size() > MAX_ENTRIES) {
      Bytes bound = pairs.get(pairs.size() / 2).key();
      Child right = newChild(bound, true);
      leaf(right).call(MapType.PUT_ALL, pairs.toList().subList(pairs.size() / 2, pairs.size()));
      leaf.call(MapType.CUT, bound);
      addChild(way.inners, way.leaf, right);
    } else if (pairs.isEmpty() && !way.inners.isEmpty()) {
      SharedObject<Tree<Child>> parent = way.inners.get(way.inners.size() - 1);
      if (parent.get(Tree::size) > 1) {
        parent.call(TreeType.DROP, way.leaf);
      }
    }
    return result;
  }

  @CanIgnoreReturnValue
  private Child newRoot() {
    Child root = newChild(Bytes.EMPTY, true);
    base().call(TreeType.SET_ROOT, root);
    return root;
  }

  private static Child newChild(Bytes bound, boolean isLeaf) {
    return new Child(bound, IDS.nextLong(), isLeaf);
  }

  /**
   * Adds a node to the right of another one.
   *
   * @param inners the ancestors of that node, from the root down
   */
  private void addChild(List<SharedObject<Tree<Child>>> inners, Child left, Child right) {
    if (inners.isEmpty()) {
      Child root = newChild(Bytes.EMPTY, false);
      SharedObject<Tree<Child>> inner = inner(root);
      inner.call(TreeType.ADD, new Child(Bytes.EMPTY, left.id(), left.isLeaf()));
      inner.call(TreeType.ADD, right);
      base().call(TreeType.SET_ROOT, root);
      return;
    }
    SharedObject<Tree<Child>> parent = inners.get(inners.size() - 1);
    parent.call(TreeType.ADD, right);
    Tree<Child> children = parent.state();
    if (children.size() > MAX_ENTRIES) {
      List<Child> upper = children.toList().subList(children.size() / 2, children.size());
      Bytes bound = upper.get(0).bound();
      Child sibling = newChild(bound, false);
      SharedObject<Tree<Child>> next = inner(sibling);
      upper.forEach(child -> next.call(TreeType.ADD, child));
      parent.call(TreeType.CUT, bound);
      List<SharedObject<Tree<Child>>> above = inners.subList(0, inners.size() - 1);
      // Of the root, only the id and kind are needed: the new parent stores them.
      addChild(above, above.isEmpty() ? base().state().orElseThrow() : left, sibling);
    }
  }

  /**
   * Returns entries from a key on, in order, at one snapshot.
   *
   * @param from the first key, inclusive
   * @param limit the maximum number of entries
   */
  public List<Map.Entry<K, V>> range(K from, int limit) {
    Bytes first = keys.encode(from);
    return space.snapshot(
        then -> {
          List<Pair> found = new ArrayList<>();
          ComposedTree<K, V> tree = in(then);
          tree.base().state().ifPresent(root -> tree.collect(root, first, limit, found));
          return found.stream()
              .map(pair -> Map.entry(keys.decode(pair.key()), values.decode(pair.value())))
              .toList();
        });
  }

  private void collect(Child node, Bytes from, int limit, List<Pair> found) {
    if (node.isLeaf()) {
      Tree<Pair> pairs = leaf(node).state();
      Iterator<Pair> rest = pairs.iterator(MapType.ceiling(pairs, from));
      while (found.size() < limit && rest.hasNext()) {
        found.add(rest.next());
      }
      return;
    }
    Tree<Child> children = inner(node).state();
    Iterator<Child> rest = children.iterator(TreeType.childOf(children, from));
    while (found.size() < limit && rest.hasNext()) {
      collect(rest.next(), from, limit, found);
    }
  }

  @Override
  Iterator<Pair> pairs() {
    return space.snapshot(
        then -> {
          List<Pair> found = new ArrayList<>();
          ComposedTree<K, V> tree = in(then);
          tree.base()
              .state()
              .ifPresent(root -> tree.collect(root, Bytes.EMPTY, Integer.MAX_VALUE, found));
          return found.iterator();
        });
  }

  @Override
  void putPairs(List<Pair> pairs) {
    space.run(
        tx -> in(tx).inLeaves(pairs, Pair::key, (leaf, some) -> leaf.call(MapType.PUT_ALL, some)));
  }

  @Override
  void removeKeys(List<Bytes> removed) {
    space.run(
        tx ->
            in(tx)
                .inLeaves(
                    removed, key -> key, (leaf, some) -> leaf.call(MapType.REMOVE_ALL, some)));
  }

  /** Calls each leaf with the items that belong to it, few enough for one split. */
  private <T> void inLeaves(
      List<T> all, Function<T, Bytes> keyOf, BiConsumer<SharedObject<Tree<Pair>>, List<T>> call) {
    List<T> sorted = all.stream().sorted(Comparator.comparing(keyOf)).toList();
    int from = 0;
    while (from < sorted.size()) {
      LeafPath way = wayTo(root(), keyOf.apply(sorted.get(from)));
      int next = from + 1;
      while (next < Math.min(sorted.size(), from + MAX_ENTRIES)
          && !isAtOrAfter(keyOf.apply(sorted.get(next)), way.until)) {
        next++;
      }
      List<T> some = sorted.subList(from, next);
      changeAt(
          way,
          leaf -> {
            call.accept(leaf, some);
            return true;
          });
      from = next;
    }
  }

  private static boolean isAtOrAfter(Bytes key, Optional<Bytes> bound) {
    return bound.isPresent() && key.compareTo(bound.get()) >= 0;
  }

  @Override
  <R> R transact(Function<KeyedMap<K, V>, R> body) {
    return space.transact(tx -> body.apply(in(tx)));
  }

  @Override
  public int size() {
    return space.snapshot(
        then -> {
          ComposedTree<K, V> tree = in(then);
          return tree.base().state().map(tree::sizeOf).orElse(0);
        });
  }

  private int sizeOf(Child node) {
    if (node.isLeaf()) {
      return leaf(node).get(Tree::size);
    }
    int size = 0;
    for (Child child : inner(node).state()) {
      size += sizeOf(child);
    }
    return size;
  }

  /** Replaces the root; nothing refers to the nodes of the old one afterwards. */
  @Override
  public void clear() {
    space.run(
        tx -> {
          ComposedTree<K, V> tree = in(tx);
          if (tree.base().state().isPresent()) {
            tree.newRoot();
          }
        });
  }
}
