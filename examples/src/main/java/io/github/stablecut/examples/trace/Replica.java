package io.github.stablecut.examples.trace;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.examples.trace.Trace.Patch;
import io.github.stablecut.examples.trace.Trace.Transaction;
import java.util.ArrayList;
import java.util.List;

/**
 * A text in memory, without a store: a data centre with its own hybrid clock, whose physical part
 * is the recorded time of the transactions. Confined to one thread.
 */
public final class Replica implements Document {
  private static final RgaText TEXT = RgaText.TYPE;

  /** A transaction as other replicas receive it. */
  record Commit(int dataCentre, long time, List<Rga.Effect<String>> effects) {}

  private final int dataCentre;
  private Rga.State<String> state = TEXT.initial();
  private VectorClock seen = VectorClock.ZERO;

  /**
   * @param dataCentre its number
   */
  public Replica(int dataCentre) {
    this.dataCentre = dataCentre;
  }

  @Override
  public void edit(Transaction transaction) {
    receive(commit(transaction));
  }

  /** Executes a transaction, and returns what every replica must {@link #receive}. */
  Commit commit(Transaction transaction) {
    OperationContext context = new OperationContext(dataCentre, seen, new SelfDots());
    EffectOrigin open = EffectOrigin.uncommitted(VectorClock.ZERO);
    List<Rga.Effect<String>> effects = new ArrayList<>();
    Rga.State<String> own = state;
    for (Rga.Operation<String> operation : operations(transaction)) {
      if (!effects.isEmpty()) {
        own = TEXT.apply(own, effects.get(effects.size() - 1), open);
      }
      effects.add(TEXT.downstream(operation, own, context));
    }
    return new Commit(dataCentre, nextTime(transaction.epochMillis()), effects);
  }

  /** The operations of a transaction, in order. */
  static List<Rga.Operation<String>> operations(Transaction transaction) {
    List<Rga.Operation<String>> operations = new ArrayList<>();
    for (Patch patch : transaction.patches()) {
      if (patch.deleted() > 0) {
        operations.add(Rga.delete(patch.position(), patch.deleted()));
      }
      if (!patch.inserted().isEmpty()) {
        operations.add(RgaText.insert(patch.position(), patch.inserted()));
      }
    }
    return operations;
  }

  private long nextTime(long epochMillis) {
    long next = Timestamp.count(LocalDataCentre.floorOf(seen)) + 1;
    return Timestamp.of(Math.max(next, Timestamp.countAt(epochMillis)), 0);
  }

  /** Applies a transaction whose causal predecessors have been applied. */
  void receive(Commit commit) {
    EffectOrigin origin = new EffectOrigin(commit.dataCentre, commit.time, VectorClock.ZERO);
    for (Rga.Effect<String> effect : commit.effects) {
      state = TEXT.apply(state, effect, origin);
    }
    seen = seen.with(commit.dataCentre, commit.time);
  }

  @Override
  public String text() {
    return TEXT.value(state, seen).toString();
  }

  @Override
  public long encodedBytes() {
    return CrdtCodec.encodeState(TEXT, TEXT.prune(state, seen)).length;
  }

  /** The canonical encoding of the replica's state: equal if and only if replicas are. */
  public byte[] encoded() {
    return CrdtCodec.encodeState(TEXT, state);
  }
}
