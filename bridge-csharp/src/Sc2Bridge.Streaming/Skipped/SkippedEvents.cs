using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What one observation alone carries (dead units, alerts, chat, actions, action errors), as a serialized
/// <c>Skipped</c>: such messages merge by concatenation. Found by walking the wire, once for a frame.
/// </summary>
internal sealed class SkippedEvents
{
    private static readonly SkippedEvents Nothing = new([], []);

    private SkippedEvents(byte[] bytes, uint[] upgrades)
    {
        Bytes = bytes;
        Upgrades = upgrades;
    }

    /// <summary>Fields 3 to 7 of <c>Skipped</c>.</summary>
    public byte[] Bytes { get; }

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
        private ArrayBufferWriter<byte>? _skipped;
        private List<uint>? _upgrades;

        public readonly bool IsEmpty => _skipped is null && _upgrades is null;

        public readonly SkippedEvents Make() => new(_skipped?.WrittenSpan.ToArray() ?? [], _upgrades?.ToArray() ?? []);

        public void Response(ReadOnlySpan<byte> message)
        {
            var reader = new WireReader(message);
            while (reader.TryNext())
            {
                if (reader.Type != WireFormat.WireType.LengthDelimited)
                {
                    continue;
                }

                switch (reader.Field)
                {
                    case ResponseObservation.ActionsFieldNumber:
                        Append(V1.Skipped.ActionsFieldNumber, reader.Content);
                        break;
                    case ResponseObservation.ActionErrorsFieldNumber:
                        Append(V1.Skipped.ActionErrorsFieldNumber, reader.Content);
                        break;
                    case ResponseObservation.ChatFieldNumber:
                        Append(V1.Skipped.ChatFieldNumber, reader.Content);
                        break;
                    case ResponseObservation.ObservationFieldNumber:
                        Observation(reader.Content);
                        break;
                }
            }
        }

        private void Observation(ReadOnlySpan<byte> message)
        {
            var reader = new WireReader(message);
            while (reader.TryNext())
            {
                if (reader.Field == SC2APIProtocol.Observation.AlertsFieldNumber)
                {
                    Numbers(V1.Skipped.AlertsFieldNumber, reader);
                }
                else if (reader.Field == SC2APIProtocol.Observation.RawDataFieldNumber
                    && reader.Type == WireFormat.WireType.LengthDelimited)
                {
                    Raw(reader.Content);
                }
            }
        }

        private void Raw(ReadOnlySpan<byte> message)
        {
            var reader = new WireReader(message);
            while (reader.TryNext())
            {
                if (reader.Type == WireFormat.WireType.LengthDelimited
                    && reader.Field is ObservationRaw.PlayerFieldNumber or ObservationRaw.EventFieldNumber)
                {
                    var inner = new WireReader(reader.Content);
                    while (inner.TryNext())
                    {
                        if (reader.Field == ObservationRaw.EventFieldNumber
                            && inner.Field == Event.DeadUnitsFieldNumber)
                        {
                            Numbers(V1.Skipped.DeadUnitsFieldNumber, inner);
                        }
                        else if (reader.Field == ObservationRaw.PlayerFieldNumber
                            && inner.Field == PlayerRaw.UpgradeIdsFieldNumber)
                        {
                            Upgrade(inner);
                        }
                    }
                }
            }
        }

        /// <summary>A repeated number may be unpacked (proto2) or packed; a reader takes both.</summary>
        private void Numbers(int field, WireReader reader)
        {
            if (reader.Type == WireFormat.WireType.LengthDelimited)
            {
                Append(field, reader.Content);
            }
            else if (reader.Type == WireFormat.WireType.Varint)
            {
                WireWriter.WriteNumber(_skipped ??= new(256), field, reader.Number);
            }
        }

        private void Upgrade(WireReader reader)
        {
            _upgrades ??= [];
            if (reader.Type == WireFormat.WireType.Varint)
            {
                _upgrades.Add((uint)reader.Number);
            }
            else if (reader.Type == WireFormat.WireType.LengthDelimited)
            {
                for (var left = reader.Content; WireReader.ReadVarint(left, out var id) is > 0 and var read;)
                {
                    _upgrades.Add((uint)id);
                    left = left[read..];
                }
            }
        }

        private void Append(int field, ReadOnlySpan<byte> content) =>
            WireWriter.WriteBytes(_skipped ??= new(256), field, content);
    }
}
