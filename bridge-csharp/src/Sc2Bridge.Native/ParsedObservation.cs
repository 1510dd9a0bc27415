using System.Buffers.Binary;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using ScoreMessage = SC2APIProtocol.Score;
using UnitMessage = SC2APIProtocol.Unit;

namespace Sc2Bridge.Native;

/// <summary>The fields of a unit that observations, masks and rewards need. Missing fields are 0, as in Python's columns.</summary>
internal struct UnitFields
{
    public ulong Tag;
    public uint Type;
    public Alliance Alliance;
    public CloakState Cloak;
    public float X, Y, Facing, Radius, BuildProgress, WeaponCooldown;
    public float Health, HealthMax, Shield, ShieldMax, Energy, EnergyMax;
    public bool IsFlying, HasOrders;

    /// <summary>Health and shield, in single precision.</summary>
    public readonly float Points => Health + Shield;
}

/// <summary>One observation. The object and its arrays are used again for later observations. Not thread-safe.</summary>
internal sealed class ParsedObservation
{
    private static readonly int[] PlayerFields =
    [
        PlayerCommon.MineralsFieldNumber, PlayerCommon.VespeneFieldNumber, PlayerCommon.FoodUsedFieldNumber,
        PlayerCommon.FoodCapFieldNumber, PlayerCommon.FoodWorkersFieldNumber, PlayerCommon.IdleWorkerCountFieldNumber,
        PlayerCommon.ArmyCountFieldNumber,
    ];

    private UnitFields[] _units = new UnitFields[32];
    private int _count;

    public ReadOnlySpan<UnitFields> Units => _units.AsSpan(0, _count);

    /// <summary>The player's numbers in the order of Python's PLAYER, without the game loop.</summary>
    public uint[] Player { get; } = new uint[PlayerFields.Length];

    public uint GameLoop { get; private set; }

    public int Score { get; private set; }

    /// <summary>The tags of units that died since the last observation.</summary>
    public HashSet<ulong> Dead { get; } = [];

    /// <summary>The player's result; null while the match runs.</summary>
    public Result? Result { get; private set; }

    /// <summary>Reads a serialized ResponseObservation.</summary>
    /// <param name="observation">The message, without unknown wire types.</param>
    /// <param name="player">The player's id.</param>
    public void Read(ReadOnlySpan<byte> observation, uint player)
    {
        (_count, GameLoop, Score, Result) = (0, 0, 0, null);
        Array.Clear(Player);
        Dead.Clear();
        var reader = new WireReader(observation);
        while (reader.Next())
        {
            if (reader.Field == ResponseObservation.ObservationFieldNumber)
            {
                ReadObservation(reader.Content);
            }
            else if (reader.Field == ResponseObservation.PlayerResultFieldNumber)
            {
                var result = PlayerResult.Parser.ParseFrom(reader.Content);
                Result = result.PlayerId == player ? result.Result : Result;
            }
        }
    }

    private void ReadObservation(ReadOnlySpan<byte> observation)
    {
        var reader = new WireReader(observation);
        while (reader.Next())
        {
            switch (reader.Field)
            {
                case Observation.GameLoopFieldNumber:
                    GameLoop = (uint)reader.VarintValue;
                    break;
                case Observation.PlayerCommonFieldNumber:
                    ReadPlayer(reader.Content);
                    break;
                case Observation.ScoreFieldNumber:
                    ReadScore(reader.Content);
                    break;
                case Observation.RawDataFieldNumber:
                    ReadRaw(reader.Content);
                    break;
            }
        }
    }

    private void ReadPlayer(ReadOnlySpan<byte> common)
    {
        var reader = new WireReader(common);
        while (reader.Next())
        {
            var at = Array.IndexOf(PlayerFields, reader.Field);
            if (at >= 0)
            {
                Player[at] = (uint)reader.VarintValue;
            }
        }
    }

    private void ReadScore(ReadOnlySpan<byte> score)
    {
        var reader = new WireReader(score);
        while (reader.Next())
        {
            Score = reader.Field == ScoreMessage.Score_FieldNumber ? (int)reader.VarintValue : Score;
        }
    }

    private void ReadRaw(ReadOnlySpan<byte> raw)
    {
        var reader = new WireReader(raw);
        while (reader.Next())
        {
            if (reader.Field == ObservationRaw.UnitsFieldNumber)
            {
                if (_count == _units.Length)
                {
                    Array.Resize(ref _units, 2 * _count);
                }

                ReadUnit(reader.Content, out _units[_count++]);
            }
            else if (reader.Field == ObservationRaw.EventFieldNumber)
            {
                Dead.UnionWith(Event.Parser.ParseFrom(reader.Content).DeadUnits);
            }
        }
    }

    private static void ReadUnit(ReadOnlySpan<byte> message, out UnitFields unit)
    {
        unit = default;
        var reader = new WireReader(message);
        while (reader.Next())
        {
            switch (reader.Field)
            {
                case UnitMessage.AllianceFieldNumber: unit.Alliance = (Alliance)reader.VarintValue; break;
                case UnitMessage.TagFieldNumber: unit.Tag = reader.VarintValue; break;
                case UnitMessage.UnitTypeFieldNumber: unit.Type = (uint)reader.VarintValue; break;
                case UnitMessage.PosFieldNumber: ReadPlace(reader.Content, ref unit); break;
                case UnitMessage.FacingFieldNumber: unit.Facing = Real(reader.Content); break;
                case UnitMessage.RadiusFieldNumber: unit.Radius = Real(reader.Content); break;
                case UnitMessage.BuildProgressFieldNumber: unit.BuildProgress = Real(reader.Content); break;
                case UnitMessage.CloakFieldNumber: unit.Cloak = (CloakState)reader.VarintValue; break;
                case UnitMessage.HealthFieldNumber: unit.Health = Real(reader.Content); break;
                case UnitMessage.HealthMaxFieldNumber: unit.HealthMax = Real(reader.Content); break;
                case UnitMessage.ShieldFieldNumber: unit.Shield = Real(reader.Content); break;
                case UnitMessage.ShieldMaxFieldNumber: unit.ShieldMax = Real(reader.Content); break;
                case UnitMessage.EnergyFieldNumber: unit.Energy = Real(reader.Content); break;
                case UnitMessage.EnergyMaxFieldNumber: unit.EnergyMax = Real(reader.Content); break;
                case UnitMessage.IsFlyingFieldNumber: unit.IsFlying = reader.VarintValue != 0; break;
                case UnitMessage.OrdersFieldNumber: unit.HasOrders = true; break;
                case UnitMessage.WeaponCooldownFieldNumber: unit.WeaponCooldown = Real(reader.Content); break;
            }
        }
    }

    private static void ReadPlace(ReadOnlySpan<byte> point, ref UnitFields unit)
    {
        var reader = new WireReader(point);
        while (reader.Next())
        {
            switch (reader.Field)
            {
                case Point.XFieldNumber: unit.X = Real(reader.Content); break;
                case Point.YFieldNumber: unit.Y = Real(reader.Content); break;
            }
        }
    }

    private static float Real(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadSingleLittleEndian(bytes);
}
