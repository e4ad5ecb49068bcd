package io.github.stablecut.crdt;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.internal.sequence.Dots;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.Rga.Effect;
import io.github.stablecut.crdt.sequence.Rga.Operation;
import io.github.stablecut.crdt.sequence.Rga.State;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.sequence.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A random history of three data centres that edit one text: transactions that read at a snapshot
 * and commit later, streams that lag, and pruning at frontiers that arrive with the streams. The
 * Java version of {@code run} in {@code crdt_prune.py}, for texts of any length.
 */
public final class Editors {
  /** The habits of editors. */
  public enum Habit {
    /** They mostly continue at their last position, and the text grows. */
    TYPE,
    /**
     * They insert and delete single characters anywhere, and the text stays short enough for
     * conflicts.
     */
    MEET
  }

  private static final int DATA_CENTRES = 3;

  /** One data centre: its text, and the same in a naive implementation without and with pruning. */
  public final class Site {
    final int number;
    public final PlainSequence whole = new PlainSequence();
    public final PlainSequence pruned = new PlainSequence();
    public State<String> state = type.initial();
    private final List<Message> stream = new ArrayList<>();
    private final int[] received = new int[DATA_CENTRES];
    private final VectorClock[] minDependencies = new VectorClock[DATA_CENTRES];
    private final List<OpenTransaction> open = new ArrayList<>();
    private VectorClock seen = VectorClock.ZERO;
    private int cursor;

    private Site(int number) {
      this.number = number;
      Arrays.fill(minDependencies, VectorClock.ZERO);
    }

    private VectorClock minDependency() {
      return open.stream().map(OpenTransaction::snapshot).reduce(seen, VectorClock::meet);
    }

    private void begin() {
      SelfDots dots = new SelfDots();
      EffectOrigin origin = EffectOrigin.uncommitted(VectorClock.ZERO);
      State<String> own = state;
      List<Effect<String>> effects = new ArrayList<>();
      for (int i = random.nextInt(habit == Habit.TYPE ? 3 : 1); i >= 0; i--) {
        OperationContext context = new OperationContext(number, seen, dots);
        Effect<String> effect = type.downstream(operation(own), own, context);
        effects.add(effect);
        own = type.apply(own, effect, origin);
      }
      open.add(new OpenTransaction(seen, effects));
    }

    private Operation<String> operation(State<String> own) {
      return habit == Habit.TYPE ? typing(own.size()) : meeting(own.size());
    }

    private Operation<String> meeting(int size) {
      return size > 0 && random.nextInt(100) < 45
          ? Rga.delete(random.nextInt(size), 1)
          : RgaText.insert(random.nextInt(size + 1), Character.toString('a' + random.nextInt(26)));
    }

    private Operation<String> typing(int size) {
      if (random.nextInt(4) > 0) {
        cursor = random.nextInt(5) == 0 ? random.nextInt(size + 1) : Math.min(cursor, size);
        String text = "abc😀efg".substring(0, random.nextInt(10) == 0 ? 8 : 1);
        Operation<String> insert = RgaText.insert(cursor, text);
        cursor += text.codePointCount(0, text.length());
        return insert;
      }
      if (random.nextInt(60) == 0) {
        return Rga.delete(0, size / 2);
      }
      int count = Math.min(size, random.nextInt(4));
      cursor = Math.max(0, Math.min(cursor, size) - count);
      return Rga.delete(cursor, count);
    }

    private void commit() {
      OpenTransaction transaction = open.remove(random.nextInt(open.size()));
      long time = (seen.max() + 1024) & -1024L;
      Message message =
          new Message(time, transaction.snapshot, transaction.effects, VectorClock.ZERO);
      stream.add(message);
      apply(message, number);
    }

    private void apply(Message message, int from) {
      EffectOrigin origin = new EffectOrigin(from, message.time, VectorClock.ZERO);
      for (Effect<String> effect : message.effects) {
        state = type.apply(state, effect, origin);
        whole.apply(effect, origin);
        pruned.apply(effect, origin);
      }
      seen = seen.with(from, message.time);
    }

    private void receive(Site from, int count) {
      for (int i = 0; i < count && received[from.number] < from.stream.size(); i++) {
        Message message = from.stream.get(received[from.number]);
        if (message.effects.isEmpty()) {
          minDependencies[from.number] = message.minDependency;
        } else if (message.snapshot.with(from.number, 0).isAtOrBefore(seen)) {
          apply(message, from.number);
        } else {
          return;
        }
        received[from.number]++;
      }
    }

    private void prune() {
      VectorClock frontier = minDependency();
      for (Site other : sites) {
        frontier = other == this ? frontier : frontier.meet(minDependencies[other.number]);
      }
      state = type.prune(state, frontier);
      pruned.prune(frontier);
      state = CrdtCodec.decodeState(type, CrdtCodec.encodeState(type, state));
    }

    /** The dots of the visible elements. */
    public List<Dot> visibleIds() {
      List<Dot> ids = new ArrayList<>();
      for (Dots dots : state.elements().idsAt(0, state.size())) {
        IntStream.range(0, dots.size()).mapToObj(dots::get).forEach(ids::add);
      }
      return ids;
    }
  }

  private record OpenTransaction(VectorClock snapshot, List<Effect<String>> effects) {}

  /** Effects, or a new min dependency if there are none. */
  private record Message(
      long time, VectorClock snapshot, List<Effect<String>> effects, VectorClock minDependency) {}

  private final CrdtType<State<String>, Operation<String>, Effect<String>, Text> type;
  private final Habit habit;
  private final Random random;
  public final List<Site> sites;

  public Editors(
      CrdtType<State<String>, Operation<String>, Effect<String>, Text> type,
      Habit habit,
      long seed) {
    this.type = type;
    this.habit = habit;
    this.random = new Random(seed);
    this.sites = IntStream.range(0, DATA_CENTRES).mapToObj(Site::new).toList();
  }

  /** Runs steps, and passes the site of each to the consumer. */
  public void run(int steps, Consumer<Site> afterEach) {
    for (int i = 0; i < steps; i++) {
      Site site = sites.get(random.nextInt(DATA_CENTRES));
      step(site, random.nextInt(100));
      afterEach.accept(site);
    }
  }

  private void step(Site site, int kind) {
    if (kind < 22) {
      site.begin();
    } else if (kind < 44) {
      if (!site.open.isEmpty()) {
        site.commit();
      }
    } else if (kind < 52) {
      VectorClock minDependency = site.minDependency();
      site.stream.add(new Message(0, VectorClock.ZERO, List.of(), minDependency));
    } else if (kind < 90) {
      Site other = sites.get(random.nextInt(DATA_CENTRES));
      if (other != site) {
        site.receive(other, random.nextInt(3) == 0 ? 6 : 1);
      }
    } else {
      site.prune();
    }
  }

  /** The effects of all committed transactions. */
  public Stream<Effect<String>> effects() {
    return sites.stream()
        .flatMap(site -> site.stream.stream())
        .flatMap(message -> message.effects.stream());
  }

  /** Ends all transactions, then receives and prunes everything. */
  public void settle() {
    for (Site site : sites) {
      site.open.clear();
    }
    // A message waits for its dependencies, which may wait for others in turn.
    boolean hasReceived = true;
    while (hasReceived) {
      hasReceived = false;
      for (Site site : sites) {
        hasReceived |= receiveAll(site);
      }
    }
    for (int round = 0; round < 2; round++) {
      for (Site site : sites) {
        receiveAll(site);
        VectorClock minDependency = site.minDependency();
        site.stream.add(new Message(0, VectorClock.ZERO, List.of(), minDependency));
      }
    }
    sites.forEach(this::receiveAll);
    sites.forEach(Site::prune);
  }

  /** Returns whether there was anything to receive. */
  @CanIgnoreReturnValue
  private boolean receiveAll(Site site) {
    VectorClock before = site.seen;
    for (Site other : sites) {
      if (other != site) {
        site.receive(other, Integer.MAX_VALUE);
      }
    }
    return !site.seen.equals(before);
  }
}
