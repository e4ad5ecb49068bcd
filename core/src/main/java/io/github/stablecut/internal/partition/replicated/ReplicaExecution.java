package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.replica.LogReplicator;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.journal.LogReplicas;
import java.util.concurrent.Executor;

/** The execution of a replica: by threads, or by a simulation that orders all steps itself. */
public interface ReplicaExecution {
  /** Threads of the replica, and of the partition that it leads. */
  ReplicaExecution THREADS =
      new ReplicaExecution() {
        @Override
        public boolean hasThreads() {
          return true;
        }

        @Override
        public Runnable start(String name, Runnable work) {
          Thread thread = Threads.daemon(name, work);
          thread.start();
          return () -> Threads.join(thread);
        }

        @Override
        public Executor newMutex() {
          Object lock = new Object();
          return action -> {
            synchronized (lock) {
              action.run();
            }
          };
        }

        @Override
        public LogReplicas awaited(LogReplicator replicator) {
          return replicator;
        }
      };

  /**
   * Whether the replica starts threads. Otherwise its caller runs {@link
   * PartitionReplica#handleEvents}, and the partition that it leads is used as without {@link
   * Partition#start}.
   */
  boolean hasThreads();

  /**
   * Starts long work, which runs concurrently with the replica's events.
   *
   * @return waits for the end of the work
   */
  Runnable start(String name, Runnable work);

  /**
   * Returns an executor that runs one action at a time, in the calling thread. An action may wait
   * for other replicas.
   */
  Executor newMutex();

  /** The replicas for which a leader's journal waits. */
  LogReplicas awaited(LogReplicator replicator);
}
