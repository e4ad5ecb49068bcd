package io.github.stablecut.cluster;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.Key;

/** Connects to each URI and prints the result. */
final class ConnectMain {
  private ConnectMain() {}

  public static void main(String[] uris) {
    for (String uri : uris) {
      try (Store store = Stablecut.connect(uri)) {
        System.out.println(store.read(Key.counter("b", "k")) == 0 ? "connected" : "not empty");
      } catch (StablecutException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
