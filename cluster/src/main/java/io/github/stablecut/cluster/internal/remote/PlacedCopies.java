package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.copies.Layout;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies that come to a node, and those that leave it, when a plan gives each partition another
 * number of them. Confined to one thread at a time.
 *
 * <p>Invariants: a plan that gives the node a copy is written after the copy's directory, so that
 * one that is missing was lost. A copy begins with a promise of the epoch that the register has, of
 * which it is no voter: whatever an earlier copy of its name has promised or acknowledged and
 * forgot, no leader of an earlier epoch counts on it. A copy is deleted once the register does not
 * name it, and will not, as only who is named may be asked for what it has.
 */
final class PlacedCopies {
  private static final Logger LOG = LoggerFactory.getLogger(PlacedCopies.class);

  /** So long the register is waited for. */
  private static final long PATIENCE_SECONDS = 8;

  private final NodeDirectory directory;
  private final NodeCopies copies;

  PlacedCopies(NodeDirectory directory, NodeCopies copies) {
    this.directory = directory;
    this.copies = copies;
  }

  /**
   * Makes the directories of the copies that the node is to have, and of its part of the register
   * if it is to keep that. Waits for the register.
   *
   * @return whether all are there; if not, the caller calls again
   */
  boolean prepare(NodePlan newer) {
    String node = copies.node();
    try {
      Set<Integer> missing = new TreeSet<>(newer.given(node));
      for (int number : missing) {
        // What a move has left, which is no copy.
        directory.moved().delete(number);
      }
      missing.removeAll(directory.numbers());
      Map<Integer, Layout> layouts = read(missing);
      if (newer.epochsAfter() > 0 && layouts.values().stream().anyMatch(PlacedCopies::isNobodys)) {
        // Its owner has still to enter itself.
        return false;
      }
      boolean keepsRegister = newer.registerNodes().contains(node);
      boolean hasNone = directory.numbers().isEmpty() && !directory.register().exists();
      if (hasNone && (keepsRegister || !missing.isEmpty())) {
        // The node may have had copies, in a directory that is lost.
        String copy = Layout.renewed(node, NodeDirectory.newStoreId());
        directory.renew(copy);
        copies.rename(copy);
      }
      for (Map.Entry<Integer, Layout> one : layouts.entrySet()) {
        if (one.getValue().voters().contains(copies.self())) {
          LOG.error(
              "node {} is to have a new copy of partition {}, but one of its name votes: start the"
                  + " node with an empty directory",
              node,
              one.getKey());
          return false;
        }
        directory.createCopy(one.getKey(), one.getValue().epoch());
      }
      if (keepsRegister && !directory.register().exists()) {
        directory.register().create(RatisRegister.JOINS);
      }
      return true;
    } catch (IOException | ExecutionException | TimeoutException e) {
      LOG.warn(
          "node {} can't make its new copies of partitions, and retries: {}", node, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  /** Deletes the copies that the node is not to have, once they don't vote. Waits. */
  void removeSurplus() {
    try {
      for (Map.Entry<Integer, Layout> one : read(copies.surplus()).entrySet()) {
        if (!names(one.getValue())) {
          remove(one.getKey(), one.getValue());
        }
      }
    } catch (IOException | ExecutionException | TimeoutException | StablecutException e) {
      LOG.info(
          "copies of partitions that are too many can't be deleted, which is retried: {}",
          e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether nobody has entered itself as a leader yet. */
  private static boolean isNobodys(Layout layout) {
    return layout.epoch() == 0;
  }

  /** Whether a layout needs the copy here, or may. */
  private boolean names(Layout layout) {
    return isNobodys(layout)
        || layout.voters().stream().anyMatch(one -> Layout.nodeOf(one).equals(copies.node()));
  }

  /**
   * Deletes a copy that does not vote. A leader may have asked a moment ago that it does, as it has
   * what is committed: that comes into force before the register has agreed on another next layout,
   * or not at all. Who leads later does not know the copy, which is closed. One that is not deleted
   * is opened again, also if it could not be closed properly.
   */
  void remove(int number, Layout layout)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    try {
      copies.close(number);
      if (await(copies.register().replace(number, layout.again()))) {
        directory.deleteCopy(number);
        LOG.info("node {} has no copy of partition {} any more", copies.node(), number);
      }
    } finally {
      if (directory.numbers().contains(number)) {
        copies.open(number);
      }
    }
  }

  /** What the register answers. */
  static <T> T await(CompletionStage<T> asked)
      throws ExecutionException, TimeoutException, InterruptedException {
    return asked.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** The newest layouts, as the register says. */
  private Map<Integer, Layout> read(Set<Integer> numbers)
      throws ExecutionException, TimeoutException, InterruptedException {
    Map<Integer, CompletableFuture<Layout>> asked = new TreeMap<>();
    for (int number : numbers) {
      var unused = asked.put(number, copies.register().read(number).toCompletableFuture());
    }
    Map<Integer, Layout> layouts = new TreeMap<>();
    for (Map.Entry<Integer, CompletableFuture<Layout>> one : asked.entrySet()) {
      var unused = layouts.put(one.getKey(), await(one.getValue()));
    }
    return layouts;
  }
}
