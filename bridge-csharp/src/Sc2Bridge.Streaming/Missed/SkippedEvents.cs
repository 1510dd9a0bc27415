using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What one observation alone carries (dead units, alerts, chat, actions, action errors), as a serialized
/// <c>Missed</c>: such messages merge by standing one after the other. Found by walking the wire, once for a frame.
/// </summary>
internal sealed class SkippedEvents
{
    private static readonly SkippedEvents Nothing = new([], []);

    private SkippedEvents(byte[] missed, uint[] upgrades)
    {
        Missed = missed;
        Upgrades = upgrades;
    }

    /// <summary>Fields 3 to 7 of <c>Missed</c>.</summary>
    public byte[] Missed { get; }

    /// <summary>The upgrades listed: each observation lists all there are, so these are a set.</summary>
    public uint[] Upgrades { get; }

    /// <summary>Reads as far as the bytes are a message.</summary>
    public static SkippedEvents Of(ReadOnlySpan<byte> observation)
    {
        var finder = new Finder();
        finder.Response(observation);
        return finder.IsEmpty ? Nothing : finder.Make();
    }

    private ref struct Finder()
    {
        private ArrayBufferWriter<byte>? _missed;
        private List<uint>? _upgrades;

        public readonly bool IsEmpty => _missed is null && _upgrades is null;

        public readonly SkippedEvents Make() => new(_missed?.WrittenSpan.ToArray() ?? [], _upgrades?.ToArray() ?? []);

        public void Response(ReadOnlySpan<byte> message)
        {
            var walker = new WireWalker(message);
            while (walker.Next())
            {
                if (walker.Type != WireFormat.WireType.LengthDelimited)
                {
                    continue;
                }

                switch (walker.Field)
                {
                    case ResponseObservation.ActionsFieldNumber:
                        Append(V1.Skipped.ActionsFieldNumber, walker.Content);
                        break;
                    case ResponseObservation.ActionErrorsFieldNumber:
                        Append(V1.Skipped.ActionErrorsFieldNumber, walker.Content);
                        break;
                    case ResponseObservation.ChatFieldNumber:
                        Append(V1.Skipped.ChatFieldNumber, walker.Content);
                        break;
                    case ResponseObservation.ObservationFieldNumber:
                        Observation(walker.Content);
                        break;
                }
            }
        }

        private void Observation(ReadOnlySpan<byte> message)
        {
            var walker = new WireWalker(message);
            while (walker.Next())
            {
                if (walker.Field == SC2APIProtocol.Observation.AlertsFieldNumber)
                {
                    Numbers(V1.Skipped.AlertsFieldNumber, walker);
                }
                else if (walker.Field == SC2APIProtocol.Observation.RawDataFieldNumber
                    && walker.Type == WireFormat.WireType.LengthDelimited)
                {
                    Raw(walker.Content);
                }
            }
        }

        private void Raw(ReadOnlySpan<byte> message)
        {
            var walker = new WireWalker(message);
            while (walker.Next())
            {
                if (walker.Type == WireFormat.WireType.LengthDelimited
                    && walker.Field is ObservationRaw.PlayerFieldNumber or ObservationRaw.EventFieldNumber)
                {
                    var inner = new WireWalker(walker.Content);
                    while (inner.Next())
                    {
                        if (walker.Field == ObservationRaw.EventFieldNumber
                            && inner.Field == Event.DeadUnitsFieldNumber)
                        {
                            Numbers(V1.Skipped.DeadUnitsFieldNumber, inner);
                        }
                        else if (walker.Field == ObservationRaw.PlayerFieldNumber
                            && inner.Field == PlayerRaw.UpgradeIdsFieldNumber)
                        {
                            Upgrade(inner);
                        }
                    }
                }
            }
        }

        /// <summary>A repeated number stands alone (proto2) or packed; a reader takes both.</summary>
        private void Numbers(int field, WireWalker walker)
        {
            if (walker.Type == WireFormat.WireType.LengthDelimited)
            {
                Append(field, walker.Content);
            }
            else if (walker.Type == WireFormat.WireType.Varint)
            {
                Varint(WireFormat.MakeTag(field, WireFormat.WireType.Varint));
                Varint(walker.Number);
            }
        }

        private void Upgrade(WireWalker walker)
        {
            _upgrades ??= [];
            if (walker.Type == WireFormat.WireType.Varint)
            {
                _upgrades.Add((uint)walker.Number);
            }
            else if (walker.Type == WireFormat.WireType.LengthDelimited)
            {
                for (var left = walker.Content; WireWalker.ReadVarint(left, out var id) is > 0 and var read;)
                {
                    _upgrades.Add((uint)id);
                    left = left[read..];
                }
            }
        }

        private void Append(int field, ReadOnlySpan<byte> content)
        {
            Varint(WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited));
            Varint((uint)content.Length);
            _missed!.Write(content);
        }

        private void Varint(ulong value)
        {
            _missed ??= new(256);
            Span<byte> bytes = stackalloc byte[10];
            var length = 0;
            for (; value >= 0x80; value >>= 7)
            {
                bytes[length++] = (byte)(value | 0x80);
            }

            bytes[length++] = (byte)value;
            _missed.Write(bytes[..length]);
        }
    }
}
