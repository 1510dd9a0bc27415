using Google.Protobuf;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Simulator.Tests.Observing;

/// <summary>A viewer's observation, and short ways to read it.</summary>
internal static class Seen
{
    /// <summary>An observation of a world.</summary>
    public static ResponseObservation By(
        this GameWorld world, int viewer, InterfaceOptions? options = null, bool disableFog = false) =>
        ResponseObservation.Parser.ParseFrom(
            new ObservationWriter(world).Write(viewer, options ?? Game.Options, disableFog));

    /// <summary>The unit with a tag. Null if the observation does not have it.</summary>
    public static SC2APIProtocol.Unit? Find(this ResponseObservation seen, Unit unit) =>
        seen.Observation.RawData.Units.SingleOrDefault(u => u.Tag == unit.Tag);

    /// <summary>The names of a message's present fields, in the order of their numbers.</summary>
    public static string[] Fields(IMessage message) =>
    [
        .. message.Descriptor.Fields.InFieldNumberOrder()
            .Where(f => f.IsRepeated
                ? ((System.Collections.IList)f.Accessor.GetValue(message)).Count > 0
                : f.Accessor.HasValue(message))
            .Select(f => f.Name),
    ];
}
