using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The events of one observation (dead units, alerts, chat, actions, action errors) as a serialized <c>Skipped</c> message.
/// Concatenated <c>Skipped</c> messages form one message. The events are found by scanning the observation's bytes, once per frame.
/// </summary>
internal sealed class FrameEvents
{
    private static readonly FrameEvents Nothing = new([], []);

    private FrameEvents(byte[] bytes, uint[] upgrades)
    {
        Bytes = bytes;
        Upgrades = upgrades;
    }

    /// <summary>Fields 3 to 7 of <c>Skipped</c>.</summary>
    public byte[] Bytes { get; }

    /// <summary>The upgrades that the observation lists. Each observation lists all upgrades so far, so upgrades are merged as a set.</summary>
    public uint[] Upgrades { get; }

    /// <summary>Reads an observation. If it is malformed, it is read up to the error.</summary>
    public static FrameEvents Of(ReadOnlySpan<byte> observation)
    {
        var finder = new Finder();
        finder.ScanResponse(observation);
        return finder.IsEmpty ? Nothing : finder.ToEvents();
    }

    private ref struct Finder()
    {
        private ArrayBufferWriter<byte>? _skipped;
        private List<uint>? _upgrades;

        public readonly bool IsEmpty => _skipped is null && _upgrades is null;

        public readonly FrameEvents ToEvents() => new(_skipped?.WrittenSpan.ToArray() ?? [], _upgrades?.ToArray() ?? []);

        public void ScanResponse(ReadOnlySpan<byte> message)
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
                        ScanObservation(reader.Content);
                        break;
                }
            }
        }

        private void ScanObservation(ReadOnlySpan<byte> message)
        {
            var reader = new WireReader(message);
            while (reader.TryNext())
            {
                if (reader.Field == SC2APIProtocol.Observation.AlertsFieldNumber)
                {
                    AppendNumbers(V1.Skipped.AlertsFieldNumber, reader);
                }
                else if (reader.Field == SC2APIProtocol.Observation.RawDataFieldNumber
                    && reader.Type == WireFormat.WireType.LengthDelimited)
                {
                    ScanRaw(reader.Content);
                }
            }
        }

        private void ScanRaw(ReadOnlySpan<byte> message)
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
                            AppendNumbers(V1.Skipped.DeadUnitsFieldNumber, inner);
                        }
                        else if (reader.Field == ObservationRaw.PlayerFieldNumber
                            && inner.Field == PlayerRaw.UpgradeIdsFieldNumber)
                        {
                            AddUpgrades(inner);
                        }
                    }
                }
            }
        }

        /// <summary>A repeated number may be unpacked (proto2) or packed. Parsers accept both.</summary>
        private void AppendNumbers(int field, WireReader reader)
        {
            if (reader.Type == WireFormat.WireType.LengthDelimited)
            {
                Append(field, reader.Content);
            }
            else if (reader.Type == WireFormat.WireType.Varint)
            {
                WireWriter.WriteNumber(_skipped ??= new(256), field, reader.VarintValue);
            }
        }

        private void AddUpgrades(WireReader reader)
        {
            _upgrades ??= [];
            if (reader.Type == WireFormat.WireType.Varint)
            {
                _upgrades.Add((uint)reader.VarintValue);
            }
            else if (reader.Type == WireFormat.WireType.LengthDelimited)
            {
                for (var remaining = reader.Content; WireReader.ReadVarint(remaining, out var id) is > 0 and var read;)
                {
                    _upgrades.Add((uint)id);
                    remaining = remaining[read..];
                }
            }
        }

        private void Append(int field, ReadOnlySpan<byte> content) =>
            WireWriter.WriteBytes(_skipped ??= new(256), field, content);
    }
}
