package io.github.stablecut.internal.recovery;

import java.util.List;

/**
 * A data centre of a group, as known to its members. Immutable.
 *
 * @param storeId the store with that data centre's number
 * @param state whether it participates
 * @param addressVersion the number of changes of its address; the greatest one is current
 * @param address the address for the other data centres, such as {@code dublin.example:7600}, with
 *     several of a cluster separated by commas; empty if there is none
 */
public record Member(long storeId, State state, int addressVersion, String address) {
  /** The maximum length of the addresses. */
  public static final int MAX_ADDRESS_LENGTH = 4_000;

  /** The participation of a data centre. States only advance. */
  public enum State {
    /** Has a number and its initial data, but has not sent a message yet. */
    JOINING("joining"),
    /** Participates. */
    MEMBER("member"),
    /** No longer participates: its commits are refused, and no data centre waits for it. */
    DETACHED("detached");

    private final String word;

    State(String word) {
      this.word = word;
    }

    /** The word for people and files. */
    public String word() {
      return word;
    }

    static State of(String word) {
      for (State state : values()) {
        if (state.word.equals(word)) {
          return state;
        }
      }
      throw new IllegalArgumentException("a data centre is not " + word);
    }
  }

  /** Checks the address. */
  public Member {
    if (addressVersion < 0 || !address.matches("\\S{0," + MAX_ADDRESS_LENGTH + "}")) {
      throw new IllegalArgumentException("not an address of a data centre: " + address);
    }
  }

  /** Whether it participates, so that others wait for it. */
  public boolean takesPart() {
    return state != State.DETACHED;
  }

  /** Merges the knowledge of two members. */
  Member with(Member other) {
    if (storeId != other.storeId) {
      throw new IllegalArgumentException(
          "two stores have one number, %016x and %016x".formatted(storeId, other.storeId));
    }
    // Only the member itself changes its address. Two nodes of a cluster may do that at once.
    Member newer =
        addressVersion > other.addressVersion
                || (addressVersion == other.addressVersion && address.compareTo(other.address) >= 0)
            ? this
            : other;
    State later = state.compareTo(other.state) >= 0 ? state : other.state;
    return new Member(storeId, later, newer.addressVersion, newer.address);
  }

  /** The addresses, one per node that announces one. */
  public List<String> addresses() {
    return address.isEmpty() ? List.of() : List.of(address.split(",", -1));
  }

  /** This member in another state. */
  public Member in(State newState) {
    return new Member(storeId, newState, addressVersion, address);
  }

  /** This member with another address. */
  public Member at(String newAddress) {
    return address.equals(newAddress)
        ? this
        : new Member(storeId, state, addressVersion + 1, newAddress);
  }
}
