using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Json;

namespace Sc2Bridge.Encodings;

/// <summary>Makes writers of JSON for the frames of one match and perspective, one after another.</summary>
public static class MatchWriter
{
    private static readonly FieldDescriptor Units =
        ObservationRaw.Descriptor.FindFieldByNumber(ObservationRaw.UnitsFieldNumber);

    // A unit that moves changes its place and where it faces, which stand in front.
    private const int RestOfUnit = Unit.RadiusFieldNumber;

    /// <summary>A writer that takes over the text of units, or of what is left of them, that did not change.</summary>
    /// <param name="type">A message that has an observation in it, or is one.</param>
    public static WireToJson Create(MessageDescriptor type) => new(type, Units, RestOfUnit);
}
