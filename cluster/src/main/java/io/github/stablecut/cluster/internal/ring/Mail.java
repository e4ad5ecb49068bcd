package io.github.stablecut.cluster.internal.ring;

import akka.actor.ActorSelection;
import akka.actor.ActorSystem;
import akka.actor.typed.ActorRef;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Brings this node's questions to partitions and to nodes; large ones go to nodes, in pieces. What
 * is sent before it is connected is lost, and asked again as any that gets no answer. Thread-safe.
 */
final class Mail implements Asks.Post {
  private final RingView view;
  private final NodeClock clock;
  private final LocalPartitions partitions;
  private final Outbox outbox;
  private volatile Optional<Office> office = Optional.empty();

  /** Brings messages to the entities of all partitions. */
  private volatile Optional<ActorRef<RingMessage>> region = Optional.empty();

  /** The node's end: its system, and who gets the answers. */
  private record Office(ActorSystem system, ActorRef<RingMessage> answers) {}

  Mail(RingView view, NodeClock clock, LocalPartitions partitions, Outbox outbox) {
    this.view = view;
    this.clock = clock;
    this.partitions = partitions;
    this.outbox = outbox;
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
      region.get().tell(ask(office.get(), partition, epoch, number, question));
    }
  }

  @Override
  public void sendTo(
      String address, int partition, long epoch, long number, Bytes question, Runnable done) {
    if (office.isEmpty()) {
      done.run();
      return;
    }
    Office here = office.get();
    Consumer<RingMessage> to = to(here, address);
    if (!Outbox.isLarge(question)) {
      to.accept(ask(here, partition, epoch, number, question));
      done.run();
      return;
    }
    outbox.send(
        address,
        number,
        question,
        (part, isLast) ->
            to.accept(
                isLast
                    ? ask(here, partition, epoch, number, Bytes.EMPTY).with(part)
                    : new RingMessage.Piece(partition, number, here.answers, part)),
        done);
  }

  @Override
  public void forget(long number) {
    outbox.forget(number);
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
      office.ifPresent(here -> to(here, next.address()).accept(ask));
    }
    return isElsewhere;
  }
}
