package io.github.stablecut.map;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.register.LwwRecord;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The records of one of several data centres, in memory, as a store has them: each a
 * last-writer-wins record. Before each read and each write it receives some of the others' writes,
 * at random, in causal order.
 */
public final class RecordDataCentre implements RecordStorage {
  private final List<RecordDataCentre> all;
  private final int number;
  private final Random random;
  private final Map<RecordId, LwwRecord.State> states = new HashMap<>();
  private final int[] heard;
  private final List<Message> sent = new ArrayList<>();
  private long time;

  /** A change of a record. */
  private record ChangedRecord(RecordChange change, LwwRecord.Effect effect) {}

  /**
   * An atomic write.
   *
   * @param heard the number of each data centre's messages known then, without this one
   */
  public record Message(
      int from, int place, long time, List<Integer> heard, List<ChangedRecord> effects) {
    public List<RecordChange> changes() {
      return effects.stream().map(ChangedRecord::change).toList();
    }

    /** Whether the sender of another message knew this one. */
    boolean isKnownTo(Message other) {
      return isIn(other.heard);
    }

    /** Whether this message is among the known ones. */
    boolean isIn(List<Integer> known) {
      return place < known.get(from);
    }

    /** Whether its sender knew no other data centre's message beyond the known ones. */
    public boolean knowsNoMoreThan(List<Integer> known) {
      for (int i = 0; i < known.size(); i++) {
        if (i != from && heard.get(i) > known.get(i)) {
          return false;
        }
      }
      return true;
    }

    /** Whether this is the later of two writes of one column, which is the visible one. */
    boolean isAfter(Message other) {
      return time != other.time ? time > other.time : from > other.from;
    }
  }

  private RecordDataCentre(List<RecordDataCentre> all, int number, int count, Random random) {
    this.all = all;
    this.number = number;
    this.random = random;
    this.heard = new int[count];
  }

  public static List<RecordDataCentre> create(int count, Random random) {
    List<RecordDataCentre> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(new RecordDataCentre(all, i, count, random));
    }
    return all;
  }

  /** The number of each data centre's messages that it has received. */
  public List<Integer> heard() {
    return Arrays.stream(heard).boxed().toList();
  }

  public List<Message> sent() {
    return sent;
  }

  /** Receives everything that the others have sent. */
  public void hearAll() {
    while (hearOne()) {}
  }

  private void hearSome() {
    while (random.nextInt(4) == 0 && hearOne()) {}
  }

  /** Receives one of the next messages, if there is one. */
  private boolean hearOne() {
    List<Message> next = new ArrayList<>();
    for (RecordDataCentre other : all) {
      if (heard[other.number] < other.sent.size()) {
        Message message = other.sent.get(heard[other.number]);
        if (isReady(message)) {
          next.add(message);
        }
      }
    }
    if (next.isEmpty()) {
      return false;
    }
    Message message = next.get(random.nextInt(next.size()));
    message.effects.forEach(
        changed -> apply(changed, new EffectOrigin(message.from, message.time, VectorClock.ZERO)));
    heard[message.from]++;
    time = Math.max(time, message.time);
    return true;
  }

  private boolean isReady(Message message) {
    for (int i = 0; i < heard.length; i++) {
      if (message.heard.get(i) > heard[i]) {
        return false;
      }
    }
    return true;
  }

  private void apply(ChangedRecord changed, EffectOrigin origin) {
    RecordId id = changed.change.id();
    LwwRecord.State state = states.getOrDefault(id, LwwRecord.TYPE.initial());
    states.put(id, LwwRecord.TYPE.apply(state, changed.effect, origin));
  }

  /** Its present records. */
  public MemoryRecords now() {
    MemoryRecords records = new MemoryRecords();
    List<RecordChange> found = new ArrayList<>();
    states.forEach(
        (id, state) ->
            LwwRecord.TYPE
                .value(state, VectorClock.ZERO)
                .ifPresent(
                    cells -> {
                      Map<Integer, Optional<Bytes>> all = new HashMap<>();
                      cells.forEach((column, value) -> all.put(column, Optional.of(value)));
                      found.add(new RecordChange.Write(id, all));
                    }));
    records.compute(List.of(), none -> new Computed<>(found, true));
    return records;
  }

  @Override
  public Map<RecordId, Cells> read(Collection<RecordId> ids) {
    hearSome();
    return now().read(ids);
  }

  @Override
  public RecordCursor scan(RecordRange range) {
    hearSome();
    return now().scan(range);
  }

  @Override
  public RecordSnapshot snapshot() {
    hearSome();
    return now().snapshot();
  }

  @Override
  public <R> R compute(
      Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function) {
    hearSome();
    Computed<R> computed = function.apply(now().read(ids));
    send(computed.changes());
    return computed.result();
  }

  private void send(List<RecordChange> changes) {
    if (changes.isEmpty()) {
      return;
    }
    time++;
    SelfDots dots = new SelfDots();
    List<ChangedRecord> made = new ArrayList<>();
    List<Integer> before = heard();
    for (RecordChange change : changes) {
      LwwRecord.Operation operation =
          change instanceof RecordChange.Write write
              ? new LwwRecord.Write(new TreeMap<>(write.cells()))
              : new LwwRecord.Reset();
      LwwRecord.State state = states.getOrDefault(change.id(), LwwRecord.TYPE.initial());
      ChangedRecord changed =
          new ChangedRecord(
              change,
              LwwRecord.TYPE.downstream(
                  operation, state, new OperationContext(number, VectorClock.ZERO, dots)));
      apply(changed, new EffectOrigin(number, time, VectorClock.ZERO));
      made.add(changed);
    }
    sent.add(new Message(number, sent.size(), time, before, made));
    heard[number]++;
  }

  /** One record at a time. */
  @Override
  public void clear(Bytes space, Bytes leadPrefix, Predicate<? super RecordReader> goesOn) {
    while (true) {
      hearSome();
      MemoryRecords now = now();
      Optional<RecordId> next =
          now.ids().stream()
              .filter(id -> id.space().equals(space) && id.lead().startsWith(leadPrefix))
              .findFirst();
      if (next.isEmpty() || !goesOn.test(now)) {
        return;
      }
      send(List.of(new RecordChange.Remove(next.get())));
    }
  }

  @Override
  public void close() {}
}
