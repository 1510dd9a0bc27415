using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Measuring.Sizes;

/// <summary>The JSON that the bridge sends of an observation.</summary>
internal static class ObservationText
{
    /// <summary>In UTF-8.</summary>
    public static ReadOnlyMemory<byte> Make(byte[] observation) => System.Text.Encoding.UTF8.GetBytes(
        JsonFormatter.Default.Format(ResponseObservation.Parser.ParseFrom(observation)));
}
