namespace Sc2Bridge.Server;

/// <summary>A server cannot listen where it was told to; the message says where, why, and what to do.</summary>
/// <param name="message">One line.</param>
public class AddressException(string message) : IOException(message);

/// <summary>Somebody else listens there already.</summary>
/// <param name="address">As it was written.</param>
public sealed class AddressInUseException(string address)
    : AddressException($"The address {address} is in use: stop what listens there, or choose another.")
{
    /// <summary>As it was written.</summary>
    public string Address { get; } = address;
}
