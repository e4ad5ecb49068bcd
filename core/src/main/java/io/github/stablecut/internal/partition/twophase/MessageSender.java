package io.github.stablecut.internal.partition.twophase;

import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.thread.FaultLog;

/**
 * Sends the messages of a partition. The protocol tolerates lost messages and resends unanswered
 * ones, so an error while sending loses one message and nothing else. Thread-safe.
 */
final class MessageSender {
  private final String name;
  private final Message.Transport transport;
  private final FaultLog faults;

  /**
   * @param number the partition's
   */
  MessageSender(int number, Message.Transport transport, FaultLog faults) {
    this.name = "the exchange of messages of partition " + number;
    this.transport = transport;
    this.faults = faults;
  }

  void send(int partition, Message.ToPartition message) {
    try {
      transport.send(partition, message);
    } catch (Throwable e) {
      lost(e);
    }
  }

  void tell(Message.Driver driver, Message.ToDriver answer) {
    try {
      driver.tell(answer);
    } catch (Throwable e) {
      lost(e);
    }
  }

  /** Records the error that lost a message. */
  void lost(Throwable fault) {
    faults.add(name, fault);
  }
}
