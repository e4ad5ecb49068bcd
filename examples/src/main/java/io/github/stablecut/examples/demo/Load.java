package io.github.stablecut.examples.demo;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The program that is killed: eight writers commit numbered transactions as fast as they can, and
 * print an {@link Acknowledgement} after each commit.
 */
final class Load {
  static final int WRITERS = 8;

  private Load() {}

  /**
   * Writes until killed.
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

  /** Continues after the store's last transaction; ends when the output is closed. */
  private static void write(Store store, WrittenObjects objects) {
    for (long n = objects.transactions(store) + 1; !System.out.checkError(); n++) {
      store.update(objects.transaction(n));
      System.out.println(new Acknowledgement(objects.writer(), n).toLine());
    }
  }
}
