package io.github.stablecut.cluster.internal.akka;

import akka.actor.ActorSelection;
import akka.actor.AddressFromURIString;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Adapter;
import akka.cluster.Member;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Down;
import akka.cluster.typed.Join;
import io.github.stablecut.cluster.internal.membership.MembershipAction;
import io.github.stablecut.cluster.internal.membership.MembershipMessage;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.log.Log;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * Executes the actions of a node's {@link
 * io.github.stablecut.cluster.internal.membership.Membership} through Akka and the {@link
 * NodeHost}. Confined to the node's actor.
 */
final class ActionExecutor implements MembershipAction.Receiver {
  private static final Logger LOG = Log.of(ActionExecutor.class);

  private final ActorContext<Object> context;
  private final Cluster cluster;
  private final String name;
  private final NodeHost host;
  private final MembershipView view;
  private final NodeRef self;

  /** The names of the members whose loss was logged, by address. */
  private final Map<String, String> lost = new HashMap<>();

  /**
   * @param context the context of the node's actor
   * @param name the name of the node
   */
  ActionExecutor(ActorContext<Object> context, String name, NodeHost host, MembershipView view) {
    this.context = context;
    this.cluster = Cluster.get(context.getSystem());
    this.name = name;
    this.host = host;
    this.view = view;
    this.self = new ActorNode(context.getSelf().narrow());
  }

  @Override
  public void send(MembershipAction.Send action) {
    ActorSelection node =
        Adapter.toClassic(context.getSystem())
            .actorSelection(
                "akka://%s@%s/user/%s".formatted(system(), action.address(), NodeActor.NAME));
    translate(action.message(), message -> node.tell(message, akka.actor.ActorRef.noSender()));
  }

  @Override
  public void answer(MembershipAction.Answer action) {
    NodeRef sender = (NodeRef) action.sender();
    translate(action.message(), sender::tell);
  }

  @Override
  public void join(MembershipAction.Join action) {
    cluster
        .manager()
        .tell(new Join(AddressFromURIString.parse("akka://" + system() + "@" + action.address())));
  }

  @Override
  public void remove(MembershipAction.Remove action) {
    remove(cluster, action.address());
  }

  /** Has the cluster remove a lost member. */
  static void remove(Cluster cluster, String address) {
    for (Member member : cluster.state().getMembers()) {
      if (NodeActor.address(member).equals(address)
          && !NodeActor.ENDING.contains(member.status())) {
        cluster.manager().tell(new Down(member.address()));
      }
    }
  }

  @Override
  public void open(MembershipAction.Open action) {
    host.open(action.plan(), action.elsewhere());
  }

  @Override
  public void markFormed(MembershipAction.MarkFormed action) {
    host.formed();
  }

  @Override
  public void update(MembershipAction.Update action) {
    host.update(action.plan());
  }

  @Override
  public void remember(MembershipAction.Remember action) {
    host.remember(action.members());
  }

  @Override
  public void publish(MembershipAction.Publish action) {
    logLost(action);
    view.recordMembers(action.members().addresses(), action.members().unreachable());
    view.recordReachable(action.members().reachable());
    view.recordLeaving(action.members().leaving());
    view.recordReplicas(action.replicas().upToDate(), action.replicas().shortages());
    view.recordUnserved(action.unserved());
    view.publish(action.owners(), action.nodes(), action.moves());
    host.changed();
  }

  /** Logs once when a member is lost, and once when it answers again. */
  private void logLost(MembershipAction.Publish action) {
    Map<String, String> now = new HashMap<>();
    for (MembershipView.UnreachableMember one : action.members().unreachable()) {
      if (one.isLost()) {
        now.put(one.address(), one.name());
      }
    }
    now.forEach(
        (address, node) -> {
          if (!lost.containsKey(address)) {
            LOG.warn(
                "node {} at {} does not answer: start it again, or replace it if it is lost for good; cluster status shows what is missing",
                node,
                address);
          }
        });
    lost.forEach(
        (address, node) -> {
          if (!now.containsKey(address)) {
            boolean isMember = action.members().addresses().contains(address);
            LOG.info(
                "node {} at {} {}",
                node,
                address,
                isMember ? "answers again" : "is no longer a member");
          }
        });
    lost.clear();
    lost.putAll(now);
  }

  @Override
  public void serve(MembershipAction.Serve action) {
    LOG.info("node {} serves: it {}", name, action.timings());
    host.ready();
  }

  @Override
  public void learn(MembershipAction.Learn action) {
    host.learn(action.facts());
  }

  @Override
  public void warn(MembershipAction.Warn action) {
    host.warn(action.problem());
  }

  @Override
  public void log(MembershipAction.Log action) {
    LOG.warn("{}", action.text());
  }

  @Override
  public void fail(MembershipAction.Fail action) {
    host.failed(action.why());
  }

  private String system() {
    return context.getSystem().name();
  }

  private void translate(MembershipMessage message, Consumer<NodeMessage> to) {
    message.handTo(new MessageTranslator(self, to));
  }

  /** Translates membership messages to node messages, and sends them. */
  private record MessageTranslator(NodeRef self, Consumer<NodeMessage> to)
      implements MembershipMessage.Receiver {
    @Override
    public void greeting(MembershipMessage.Greeting message) {
      to.accept(new NodeMessage.Hello(message.facts(), message.epochs(), message.member(), self));
    }

    @Override
    public void welcome(MembershipMessage.Welcome message) {
      to.accept(new NodeMessage.Welcome(message.member(), message.isTogether()));
    }

    @Override
    public void waiting(MembershipMessage.Waiting message) {
      to.accept(new NodeMessage.Waiting(message.address(), message.isFormed()));
    }

    @Override
    public void refused(MembershipMessage.Refused message) {
      to.accept(new NodeMessage.Refused(message.member(), message.reason()));
    }

    @Override
    public void heartbeat(MembershipMessage.Heartbeat message) {
      to.accept(new NodeMessage.Heartbeat(message.facts(), message.receivedFrom(), self));
    }
  }
}
