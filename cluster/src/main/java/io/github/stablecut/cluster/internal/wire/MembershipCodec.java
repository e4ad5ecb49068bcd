package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.cluster.internal.membership.ClusterSummary;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.DirectoryOpenings;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.NodeOpening;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.PartitionClaim.Kind;
import io.github.stablecut.internal.recovery.PlanChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Encodes and decodes facts about nodes, clusters and directories. */
public final class MembershipCodec {
  private MembershipCodec() {}

  /** Writes the facts of a node. */
  public static void write(GossipedNodeState facts, WireOutput out) {
    // The first two fields are the same in all versions.
    out.size(facts.protocol()).text(facts.name()).text(facts.address()).number(facts.clock());
    out.size(facts.partitions()).size(facts.formWith()).size(facts.replicas());
    out.kind(facts.plan().isPresent() ? 1 : 0);
    facts.plan().ifPresent(plan -> write(plan, out));
    out.size(facts.owned().size());
    facts.owned().forEach(one -> out.size(one.partition()).text(one.node()).number(one.epoch()));
    out.size(facts.moves().size());
    facts.moves().forEach(move -> write(move, out));
    out.kind(facts.isObserver() ? 1 : 0);
    out.kind(facts.isLeaving() ? 1 : 0);
    out.size(facts.objectTypes().size());
    facts.objectTypes().forEach(out::text);
    out.kind(facts.dataCentre().isPresent() ? 1 : 0);
    facts.dataCentre().ifPresent(known -> write(known, out));
    write(facts.openings(), out);
    out.text(facts.clients()).text(facts.zone()).size(facts.replicasUpToDate());
    out.size(facts.shortages().size());
    facts.shortages().forEach(one -> write(one, out));
    out.size(facts.served().size());
    facts.served().forEach(out::size);
    out.text(facts.links());
  }

  private static void write(ReplicaShortage shortage, WireOutput out) {
    out.size(shortage.partition()).size(shortage.working()).size(shortage.reasons().size());
    shortage.reasons().forEach(out::text);
  }

  private static List<ReplicaShortage> readShortages(WireInput in) {
    List<ReplicaShortage> shortages = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      shortages.add(new ReplicaShortage(in.small(), in.small(), readTexts(in)));
    }
    return shortages;
  }

  private static void write(DirectoryOpenings openings, WireOutput out) {
    out.kind(openings.own().isPresent() ? 1 : 0);
    openings.own().ifPresent(own -> write(own, out));
    out.size(openings.known().size());
    openings.known().forEach(one -> write(one, out));
  }

  private static void write(NodeOpening opening, WireOutput out) {
    out.text(opening.replica()).number(opening.count()).number(opening.run());
  }

  private static DirectoryOpenings readOpenings(WireInput in) {
    Optional<NodeOpening> own = in.kind() == 0 ? Optional.empty() : Optional.of(readOpening(in));
    List<NodeOpening> openings = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      openings.add(readOpening(in));
    }
    return new DirectoryOpenings(own, openings);
  }

  private static NodeOpening readOpening(WireInput in) {
    return new NodeOpening(in.text(), in.count(), in.number());
  }

  private static void write(GossipedDataCentres facts, WireOutput out) {
    out.text(facts.address()).text(facts.group().map(Membership::toText).orElse(""));
    out.vector(facts.cluster().times()).vector(facts.cluster().transactions());
    out.vector(facts.awaited());
    out.size(facts.partitions().size());
    facts
        .partitions()
        .forEach(one -> out.size(one.partition()).vector(one.times()).vector(one.transactions()));
  }

  private static GossipedDataCentres readDataCentre(WireInput in) {
    String address = in.text();
    String text = in.text();
    Optional<Membership> group;
    try {
      group = text.isEmpty() ? Optional.empty() : Optional.of(Membership.parse(text, "facts"));
    } catch (CorruptStoreException e) {
      throw new BadMessageException("a group of data centres", e);
    }
    GossipedDataCentres.ClusterProgress shared =
        new GossipedDataCentres.ClusterProgress(in.vector(), in.vector());
    VectorClock awaited = in.vector();
    List<GossipedDataCentres.PartitionProgress> received = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      received.add(new GossipedDataCentres.PartitionProgress(in.small(), in.vector(), in.vector()));
    }
    return new GossipedDataCentres(address, group, shared, received, awaited);
  }

  private static void write(NodePlan plan, WireOutput out) {
    out.kind(plan.isFormed() ? 1 : 0).number(plan.storeId());
    out.size(plan.dataCentre().number()).number(plan.routing()).text(plan.name());
    out.size(plan.owners().size());
    plan.owners().forEach(out::text);
    out.size(plan.replicas().size());
    plan.replicas()
        .forEach(
            nodes -> {
              out.size(nodes.size());
              nodes.forEach(out::text);
            });
    out.size(plan.keepers().size());
    plan.keepers().forEach(out::text);
    out.size(plan.changes().size());
    PlanChange.toTexts(plan.changes()).forEach(out::text);
  }

  private static void write(MoveProgress move, WireOutput out) {
    out.size(move.partition()).text(move.from()).text(move.to()).kind(number(move.phase()));
    out.number(move.copied()).number(move.total()).number(move.pauseMicros());
    out.text(move.problem()).number(move.move());
  }

  /**
   * Reads the facts of a node. From a node with another protocol, reads only the fields common to
   * all versions.
   */
  public static GossipedNodeState readFacts(WireInput in) {
    int protocol = in.small();
    String name = in.text();
    if (protocol != GossipedNodeState.PROTOCOL) {
      in.skip();
      return GossipedNodeState.builder(name, "", 0).protocol(protocol).build();
    }
    String address = in.text();
    // The order of these calls is the order of the fields on the wire.
    return GossipedNodeState.builder(name, address, in.count())
        .protocol(protocol)
        .partitions(in.small())
        .formWith(in.small())
        .replicas(in.small())
        .plan(in.kind() == 0 ? Optional.empty() : Optional.of(readPlan(in)))
        .owned(readOwned(in))
        .moves(readMoves(in))
        .isObserver(in.kind() != 0)
        .isLeaving(in.kind() != 0)
        .objectTypes(readTexts(in))
        .dataCentre(in.kind() == 0 ? Optional.empty() : Optional.of(readDataCentre(in)))
        .openings(readOpenings(in))
        .clients(in.text())
        .zone(in.text())
        .replicasUpToDate(in.small())
        .shortages(readShortages(in))
        .served(readNumbers(in))
        .links(in.text())
        .build();
  }

  private static List<GossipedNodeState.Ownership> readOwned(WireInput in) {
    List<GossipedNodeState.Ownership> owned = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      owned.add(new GossipedNodeState.Ownership(in.small(), in.text(), in.count()));
    }
    return owned;
  }

  private static List<MoveProgress> readMoves(WireInput in) {
    List<MoveProgress> moves = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      moves.add(readMove(in));
    }
    return moves;
  }

  private static List<Integer> readNumbers(WireInput in) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      numbers.add(in.small());
    }
    return numbers;
  }

  private static NodePlan readPlan(WireInput in) {
    boolean isFormed = in.kind() != 0;
    long storeId = in.number();
    int dataCentre = in.small();
    long routing = in.number();
    String node = in.text();
    List<String> owners = readTexts(in);
    List<List<String>> replicas = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      replicas.add(readTexts(in));
    }
    try {
      return NodePlan.builder(storeId, node, owners)
          .dataCentre(new LocalDataCentre(dataCentre))
          .routing(routing)
          .isFormed(isFormed)
          .replicas(replicas)
          .keepers(readTexts(in))
          .changes(PlanChange.parseAll(readTexts(in)))
          .build();
    } catch (IllegalArgumentException e) {
      throw new BadMessageException("a plan", e);
    }
  }

  private static List<String> readTexts(WireInput in) {
    List<String> texts = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      texts.add(in.text());
    }
    return texts;
  }

  private static MoveProgress readMove(WireInput in) {
    int partition = in.small();
    String from = in.text();
    String to = in.text();
    MoveProgress.Phase phase = phase(in.kind());
    long copied = in.count();
    long total = in.count();
    long pauseMicros = in.count();
    String problem = in.text();
    return MoveProgress.builder(partition, from, to, in.number())
        .phase(phase)
        .copied(copied)
        .total(total)
        .pauseMicros(pauseMicros)
        .problem(problem)
        .build();
  }

  /** Returns the number of a phase on the wire, which never changes. */
  private static int number(MoveProgress.Phase phase) {
    return switch (phase) {
      case COPYING -> 1;
      case SWITCHING -> 2;
      case DONE -> 3;
      case FAILED -> 4;
    };
  }

  private static MoveProgress.Phase phase(int number) {
    for (MoveProgress.Phase phase : MoveProgress.Phase.values()) {
      if (number(phase) == number) {
        return phase;
      }
    }
    throw new BadMessageException("phase " + number + " of a move");
  }

  /** Writes the summary of a cluster. */
  public static void write(ClusterSummary summary, WireOutput out) {
    out.text(summary.address()).number(summary.uid()).number(summary.storeId());
    out.size(summary.nodes()).number(summary.ageMillis());
  }

  /** Reads the summary of a cluster. */
  public static ClusterSummary readSummary(WireInput in) {
    return new ClusterSummary(in.text(), in.number(), in.number(), in.small(), in.number());
  }

  /** Writes a directory's claims on partitions. */
  public static void write(DirectoryEpochs epochs, WireOutput out) {
    out.size(epochs.all().size());
    epochs
        .all()
        .forEach(one -> out.size(one.partition()).kind(number(one.kind())).number(one.epoch()));
  }

  /** Reads a directory's claims on partitions. */
  public static DirectoryEpochs readEpochs(WireInput in) {
    List<PartitionClaim> all = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      all.add(new PartitionClaim(in.small(), kind(in.kind()), in.count()));
    }
    return new DirectoryEpochs(all);
  }

  private static int number(Kind kind) {
    return switch (kind) {
      case HAS -> 1;
      case GAVE -> 2;
      case COPIED -> 3;
    };
  }

  private static Kind kind(int number) {
    for (Kind kind : Kind.values()) {
      if (number(kind) == number) {
        return kind;
      }
    }
    throw new BadMessageException("kind " + number + " of a claim");
  }
}
