package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.internal.replication.PartitionReplicator;
import io.github.stablecut.internal.replication.RecordedStableVector;
import io.github.stablecut.internal.replication.ReplicationMessage;
import io.github.stablecut.internal.replication.StoreActivity;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import io.github.stablecut.replication.LinkFaults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Data centres join through a donor, also two at once, and others are detached, while all commit
 * over links as in {@link ReplicatorProperties} and {@link LinkFaults}, crash, and have stepping
 * clocks. The remaining members see the same: everything of each other, and everything that any of
 * them has of a detached one.
 */
final class MembersProperties {
  private static final int FIRST = 3;
  private static final int MOST = 6;
  private static final int PARTITIONS = SimulatedDataCentres.PARTITIONS;
  private static final int STEPS = 500;
  private static final long MILLI = 1_000_000;
  private static final long MAX_SETTLING = 30_000 * MILLI;
  private static final int SMALL_CREDIT = 1 << 10;

  private Random random = new Random(0);
  private SimulatedDataCentres all = new SimulatedDataCentres(random, 0);
  private final Map<Integer, List<PartitionReplicator>> replicators = new HashMap<>();
  private final Map<Integer, GroupState> groups = new HashMap<>();
  private DataCentreLinks links = new DataCentreLinks(random, MOST);

  /** The members that have not started yet. */
  private final List<Joining> joining = new ArrayList<>();

  /** The transactions that only the donor and the started joiners may have. */
  private final List<JoiningDisks> given = new ArrayList<>();

  /** The detached members, some of which may not know it yet. */
  private final TreeSet<Integer> out = new TreeSet<>();

  private FaultLog faults = new FaultLog();
  private int setBack;
  private long nanos;

  /**
   * An admitted member.
   *
   * @param at the earliest time at which it has everything
   */
  private record Joining(JoiningDisks disks, long at) {}

  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void remainingMembersSeeTheSame(@ForAll long seed) throws IOException {
    random = new Random(seed);
    links = new DataCentreLinks(random, MOST);
    replicators.clear();
    groups.clear();
    joining.clear();
    given.clear();
    out.clear();
    faults = new FaultLog();
    nanos = 1 + random.nextLong(MILLI);
    setBack = 0;
    try (SimulatedDataCentres made = new SimulatedDataCentres(random, FIRST)) {
      all = made;
      all.all().forEach(at -> begin(at, founders()));
      for (int step = 0; step < STEPS; step++) {
        step();
      }
      settle();
    }
  }

  private static Membership founders() {
    TreeMap<Integer, Member> members = new TreeMap<>();
    for (int i = 0; i < FIRST; i++) {
      members.put(i, new Member(i, Member.State.MEMBER, 0, ""));
    }
    return new Membership(1, members);
  }

  private GroupState group(int number) {
    return Objects.requireNonNull(groups.get(number));
  }

  private List<PartitionReplicator> replicators(int number) {
    return Objects.requireNonNull(replicators.get(number));
  }

  private void begin(DataCentre at, Membership known) {
    int number = at.local.number();
    GroupState group =
        new GroupState(
            number,
            known,
            changed -> keepFor(at, changed),
            saved -> at.members = new TreeSet<>(saved.members().keySet()));
    groups.put(number, group);
    keepFor(at, known);
    PartitionReplicator.Context context =
        new PartitionReplicator.Context(
            random.nextBoolean() ? SMALL_CREDIT : 1 << 20,
            group,
            (to, message) -> links.send(number, to, message, nanos),
            new StoreActivity(),
            at.store.partitions()::newest,
            new RecordedStableVector(PARTITIONS),
            time -> ReplicatorProperties.opening(at, time),
            other -> setBack++,
            faults);
    replicators.put(
        number,
        IntStream.range(0, PARTITIONS)
            .mapToObj(partition -> new PartitionReplicator(at.partition(partition), context, nanos))
            .toList());
  }

  private static void keepFor(DataCentre at, Membership membership) {
    for (int other : membership.members().keySet()) {
      for (int i = 0; i < PARTITIONS && other != at.local.number(); i++) {
        at.streams(i).keepFor(other);
      }
    }
  }

  private void cut(int number, boolean isNow) {
    for (int other = 0; other < MOST; other++) {
      links.cut(number, other, isNow);
    }
  }

  private void step() throws IOException {
    nanos += random.nextInt(20) * MILLI;
    DataCentre at = all.any();
    int kind = random.nextInt(200);
    if (kind < 16) {
      all.begin(at);
    } else if (kind < 44) {
      all.write(at);
    } else if (kind < 56) {
      all.commit(at);
    } else if (kind < 120) {
      deliver();
    } else if (kind < 176) {
      tick(at);
    } else if (kind < 182) {
      all.checkpoint(at);
    } else if (kind < 186) {
      Membership known = group(at.local.number()).known();
      at.reopen(random.nextBoolean());
      begin(at, known);
    } else if (kind < 190) {
      cut(at.local.number(), random.nextBoolean());
    } else if (kind < 192) {
      join(at);
    } else if (kind == 192) {
      detach(at);
    } else {
      all.check(at);
    }
    if (joining.size() == 1 && random.nextInt(100) == 0) {
      join(joining.get(0).disks.donor());
    }
    enterIfReady();
  }

  private void join(DataCentre donor) throws IOException {
    GroupState group = group(donor.local.number());
    Membership known = group.known();
    boolean isOneOnItsWay = joining.size() == 1 && joining.get(0).disks.donor() == donor;
    if ((isOneOnItsWay || (joining.isEmpty() && areAgreed()))
        && known.next() < MOST
        && !out.contains(donor.local.number())
        && known.allocator() == donor.local.number()) {
      all.tap(donor);
      int number = group.admit(random.nextLong());
      JoiningDisks disks = JoiningDisks.of(donor, number, group.known());
      joining.add(new Joining(disks, nanos + random.nextInt(1_000) * MILLI));
    }
  }

  /** Admitted members start in any order; unstarted ones are not waited for. */
  private void enterIfReady() {
    for (Joining one : List.copyOf(joining)) {
      if (nanos > one.at && one.disks.isTaken(replicators::containsKey)) {
        joining.remove(one);
        enter(one.disks);
      }
    }
  }

  /** The new one starts with its snapshot of a while ago. */
  private void enter(JoiningDisks disks) {
    given.add(disks);
    DataCentre joined =
        all.join(
            disks.number(), disks.disks(), new TreeSet<>(disks.membership().members().keySet()));
    begin(joined, disks.membership());
    all.check(joined);
  }

  /** A member detaches another one, which continues for a while. */
  private void detach(DataCentre at) {
    GroupState group = group(at.local.number());
    List<Integer> others =
        new ArrayList<>(group.known().others(at.local.number()).stream().sorted().toList());
    // Only the donor could give a later joiner the data that others started with.
    given.removeIf(disks -> disks.isTaken(other -> !out.contains(other)));
    // Two remain.
    if (joining.isEmpty()
        && given.isEmpty()
        && areAgreed()
        && !out.contains(at.local.number())
        && others.size() > 1) {
      int other = others.get(random.nextInt(others.size()));
      group.detach(other);
      out.add(other);
    }
  }

  /**
   * Whether all have the same view of the group: operators give one order after the other, and a
   * duplicate number is refused.
   */
  private boolean areAgreed() {
    return all.all().stream()
            .map(at -> at.local.number())
            .filter(number -> !out.contains(number))
            .map(number -> group(number).known())
            .distinct()
            .count()
        == 1;
  }

  private void tick(DataCentre at) {
    int number = at.local.number();
    replicators(number).forEach(replicator -> replicator.tick(nanos));
    if (random.nextInt(4) == 0) {
      Membership known = group(number).known();
      for (int other : known.members().keySet()) {
        if (other != number) {
          links.send(number, other, new ReplicationMessage.Members(number, known), nanos);
        }
      }
    }
  }

  private void deliver() {
    links.deliver(nanos, this::receive);
  }

  private void receive(int to, ReplicationMessage message) {
    if (!replicators.containsKey(to)) {
      return;
    }
    if (message instanceof ReplicationMessage.Members members) {
      group(to).learn(members.membership());
    } else {
      ReplicationMessage.OfStream ofStream = (ReplicationMessage.OfStream) message;
      replicators(to).get(ofStream.head().partition()).receive(ofStream, nanos);
    }
  }

  private void endDetached() {
    for (DataCentre at : List.copyOf(all.all())) {
      if (out.contains(at.local.number())) {
        all.tap(at);
        all.remove(at);
        replicators.remove(at.local.number());
      }
    }
  }

  private void settle() {
    links.becomeReliable();
    for (int number = 0; number < MOST; number++) {
      cut(number, false);
    }
    all.commitAll();
    for (int i = 0; i < 1_000 && !joining.isEmpty(); i++) {
      advance();
      enterIfReady();
    }
    assertThat(joining).as(this::state).isEmpty();
    endDetached();
    long end = nanos + MAX_SETTLING;
    while (!all.areEqual(expectedContents()) && nanos < end) {
      advance();
    }
    VectorClock everything = expectedContents();
    assertThat(all.areEqual(everything)).as("equal: %s", state()).isTrue();
    all.checkAllEqual(everything);
    while (!areTruncated(everything) && nanos < end + MAX_SETTLING) {
      // Arrivals are recorded when something is committed.
      all.write(all.any());
      for (int i = 0; i < 20; i++) {
        advance();
      }
    }
    assertThat(areTruncated(everything)).as(this::state).isTrue();
    assertThat(setBack).isZero();
  }

  /** Everything of the members, and whatever any member has of the others. */
  private VectorClock expectedContents() {
    VectorClock everything = all.history().everything();
    for (int number : out) {
      long time = Long.MAX_VALUE;
      for (int partition = 0; partition < PARTITIONS; partition++) {
        int of = partition;
        time =
            Math.min(
                time,
                all.all().stream()
                    .mapToLong(at -> at.streams(of).reached().get(number))
                    .max()
                    .orElseThrow());
      }
      everything = everything.with(number, Math.min(time, everything.get(number)));
    }
    return all.history().everything(everything);
  }

  private boolean areTruncated(VectorClock everything) {
    all.all().forEach(all::checkpoint);
    return all.all().stream()
        .flatMap(at -> at.store.partitions().local().stream())
        .allMatch(partition -> everything.isAtOrBefore(partition.watermarks().lowWatermark()));
  }

  private String state() {
    StringBuilder text = new StringBuilder();
    for (DataCentre at : all.all()) {
      int number = at.local.number();
      text.append("data centre %d knows %s%n".formatted(number, group(number).known()));
      for (int partition = 0; partition < PARTITIONS; partition++) {
        text.append(
            "partition %d: %s, reached %s, received %s, %s%n"
                .formatted(
                    partition,
                    at.partition(partition).watermarks(),
                    at.streams(partition).reached(),
                    at.streams(partition).lastOfAll(),
                    replicators(number).get(partition).problems()));
      }
    }
    return text.append(faults.describe()).toString();
  }

  private void advance() {
    nanos += 10 * MILLI;
    all.all().forEach(this::tick);
    deliver();
    // Arrivals become durable with a delay.
    all.all().forEach(SimulatedDataCentres::awaitDurable);
  }
}
