package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings questions to the node's partitions and moves, and answers to those who have asked. What
 * takes a while is done by the node's threads. Thread-safe.
 *
 * @param partitions the node's
 * @param asks who waits for answers
 * @param giving what is asked about partitions that leave the node
 * @param taking what is asked about partitions that come to it
 */
record NodeDesk(
    LocalPartitions partitions,
    Asks asks,
    Giving giving,
    Taking taking,
    NodeClock clock,
    Replies replies,
    Outbox outbox)
    implements Inbox.Desk {
  private static final Logger LOG = LoggerFactory.getLogger(NodeDesk.class);

  @Override
  public void asked(RingMessage.Ask ask, TrafficBudget.Claim claim) {
    if (ask.epoch() != 0) {
      PartitionEntity.answer(ask, partitions.owner(), clock, replies, claim::close);
      return;
    }
    try (claim) {
      askedAboutMove(ask);
    }
  }

  private void askedAboutMove(RingMessage.Ask ask) {
    Question question;
    try {
      question = QuestionCodec.ofNode().decode(ask.question().bytes(), ask.clock());
    } catch (BadMessageException e) {
      LOG.warn("a question was refused: {}", e.getMessage());
      return;
    }
    if (question instanceof Question.Present) {
      replies.send(ask, new Reply.At(clock.snapshot()));
    } else if (question instanceof Question.OfMove move) {
      giving.answer(ask.partition(), move, reply -> replies.send(ask, reply));
    } else if (question instanceof Question.Fetch fetch) {
      partitions
          .threads()
          .answers()
          .execute(() -> replies.send(ask, taking.fetch(ask.partition(), fetch.from())));
    }
  }

  @Override
  public Asks.Awaited awaited(long number) {
    return asks.awaited(number);
  }

  @Override
  public void answered(long number, long sender, Bytes reply, TrafficBudget.Claim claim) {
    // States take a while to be read; the actor has other things to do.
    partitions.threads().answers().execute(() -> answer(number, sender, reply, claim));
  }

  private void answer(long number, long sender, Bytes reply, TrafficBudget.Claim claim) {
    Reply read;
    try (claim) {
      read = ReplyCodec.decode(reply, sender);
    } catch (BadMessageException | FormatException e) {
      LOG.warn("an answer was refused: {}", e.getMessage());
      read =
          new Reply.Failed(
              new StoreIoException("the owner's answer can't be read: " + e.getMessage(), e));
    } catch (RuntimeException | Error e) {
      // Whoever has asked is to hear it.
      LOG.error("an answer of {} bytes can't be read", reply.length(), e);
      read = new Reply.Failed(Faults.ofNode(partitions.name(), e));
    }
    asks.answer(number, read);
  }

  @Override
  public void refused(long number, String why) {
    asks.refuse(number, why);
  }

  @Override
  public void unread(long number, String why) {
    partitions.threads().answers().execute(() -> asks.answer(number, new Reply.Busy(why)));
  }

  @Override
  public void told(long driver, long sender, Bytes answer) {
    Message.ToDriver read;
    try {
      read = ProtocolCodec.decode(answer, sender);
    } catch (BadMessageException e) {
      LOG.warn("an answer to a driver was refused: {}", e.getMessage());
      return;
    }
    partitions.threads().answers().execute(() -> partitions.tell(driver, read));
  }

  @Override
  public void taken(String address, long bytes) {
    outbox.acknowledged(address, bytes);
  }
}
