package io.github.stablecut.cluster.internal.ring;

import akka.actor.ActorSelection;
import akka.actor.ActorSystem;
import akka.actor.typed.ActorRef;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Brings this node's questions to partitions and to nodes, in pieces if they are large. What is
 * sent before it is connected is lost, and asked again as any that gets no answer. Thread-safe.
 */
final class Mail implements Asks.Post {
  private final RingView view;
  private final NodeClock clock;
  private final LocalPartitions partitions;
  private volatile Optional<Office> office = Optional.empty();

  /** Brings messages to the entities of all partitions. */
  private volatile Optional<ActorRef<RingMessage>> region = Optional.empty();

  /** The node's end: its system, and who gets the answers. */
  private record Office(ActorSystem system, ActorRef<RingMessage> answers) {}

  Mail(RingView view, NodeClock clock, LocalPartitions partitions) {
    this.view = view;
    this.clock = clock;
    this.partitions = partitions;
  }

  /**
   * From now on nodes can be asked.
   *
   * @param answers the actor that gets the answers
   */
  void connect(ActorSystem system, ActorRef<RingMessage> answers) {
    office = Optional.of(new Office(system, answers));
  }

  /** From now on partitions can be asked. */
  void connect(ActorRef<RingMessage> entities) {
    region = Optional.of(entities);
  }

  @Override
  public void send(int partition, long epoch, long number, Bytes question) {
    if (office.isPresent() && region.isPresent()) {
      ActorRef<RingMessage> shards = region.get();
      post(shards::tell, ask(office.get(), partition, epoch, number, question));
    }
  }

  @Override
  public void sendTo(String address, int partition, long epoch, long number, Bytes question) {
    office.ifPresent(
        here -> post(to(here, address), ask(here, partition, epoch, number, question)));
  }

  private RingMessage.Ask ask(Office here, int partition, long epoch, long number, Bytes question) {
    Pieces.Part whole = new Pieces.Part(0, question);
    return new RingMessage.Ask(partition, epoch, number, clock.now(), here.answers, whole);
  }

  private static Consumer<RingMessage> to(Office here, String address) {
    ActorSelection node =
        here.system.actorSelection(
            "akka://" + here.system.name() + "@" + address + "/user/" + NodeActor.NAME);
    return message -> node.tell(message, akka.actor.ActorRef.noSender());
  }

  private static void post(Consumer<RingMessage> to, RingMessage.Ask ask) {
    Optional<ActorRef<RingMessage>> from = Optional.of(ask.from());
    Pieces.send(
        ask.question().bytes(),
        part -> to.accept(new RingMessage.Piece(ask.partition(), ask.number(), from, part)),
        last -> to.accept(ask.with(last)));
  }

  /**
   * Sends a question on to the partition's next owner, if the sender knows it and Akka does not
   * yet.
   */
  boolean forward(RingMessage.Ask ask) {
    RingView.Owner next = view.owner(ask.partition());
    boolean isElsewhere =
        ask.epoch() == next.epoch()
            && next.isReachable()
            && !next.node().equals(partitions.name())
            && partitions.owner().find(ask.partition()).isEmpty();
    if (isElsewhere) {
      office.ifPresent(here -> post(to(here, next.address()), ask));
    }
    return isElsewhere;
  }
}
