package io.github.stablecut.examples.demo;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The program that is killed: eight writers commit as fast as they can, number their transactions,
 * and print an {@link Acknowledgement} after each commit.
 */
final class Load {
  static final int WRITERS = 8;

  private Load() {}

  /**
   * Writes until it is killed.
   *
   * @param args the store's directory
   */
  public static void main(String[] args) throws InterruptedException {
    try (Store store = Stablecut.open(Path.of(args[0]))) {
      List<Thread> threads = new ArrayList<>();
      for (WrittenObjects objects : WrittenObjects.ofAll(WRITERS)) {
        threads.add(new Thread(() -> write(store, objects), "writer-" + objects.writer()));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  /** Goes on where the store stands; ends if nobody listens any more. */
  private static void write(Store store, WrittenObjects objects) {
    for (long n = objects.transactions(store) + 1; !System.out.checkError(); n++) {
      store.update(objects.transaction(n));
      System.out.println(new Acknowledgement(objects.writer(), n).toLine());
    }
  }
}
