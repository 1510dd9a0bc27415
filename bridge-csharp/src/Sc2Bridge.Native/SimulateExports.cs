using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Fights;

namespace Sc2Bridge.Native;

/// <summary>The functions for fights that begin from observations.</summary>
internal static unsafe partial class Exports
{
    private const int LongestGameInfo = 1 << 24;
    private const int MostFights = 1_000_000;
    private const int MostUnits = 10_000_000;
    private const int MostLoops = 22_400;

    private static readonly Dictionary<long, FightField> Fields = [];

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_field_open", CallConvs = [typeof(CallConvCdecl)])]
    public static int OpenField(byte* gameInfo, long length, long* handle) => Try(() =>
    {
        NotNull(handle, "handle");
        try
        {
            var message = SpanOf(gameInfo, length, Math.Clamp(length, 0, LongestGameInfo), "game_info");
            var field = new FightField(ResponseGameInfo.Parser.ParseFrom(message).StartRaw);
            lock (TableLock)
            {
                Fields.Add(++_lastHandle, field);
                *handle = _lastHandle;
            }
        }
        catch (Exception wrong) when (wrong is FormatException or InvalidProtocolBufferException)
        {
            throw Failure.Argument($"game_info: {wrong.Message}", wrong);
        }
    });

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_field_close", CallConvs = [typeof(CallConvCdecl)])]
    public static int CloseField(long handle) => Try(() =>
    {
        lock (TableLock)
        {
            if (!Fields.Remove(handle))
            {
                throw NotAField(handle);
            }
        }
    });

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_simulate", CallConvs = [typeof(CallConvCdecl)])]
    public static int Simulate(
        long handle, FightPart* fights, long fightCount, FightUnit* units, long unitCount, uint* upgrades, long upgradeCount, byte* creep,
        long creepBytes, int threads, FightResult* results, long resultCount, FightLife* lives, long lifeCount) => Try(() =>
    {
        FightField? field;
        lock (TableLock)
        {
            field = Fields.GetValueOrDefault(handle) ?? throw NotAField(handle);
        }

        var all = StructsOf(fights, fightCount, Math.Clamp(fightCount, 0, MostFights), "fights");
        StructsOf(units, unitCount, Math.Clamp(unitCount, 0, MostUnits), "units");
        StructsOf(upgrades, upgradeCount, Math.Clamp(upgradeCount, 0, MostUnits), "upgrades");
        SpanOf(creep, creepBytes, Math.Clamp(creepBytes, 0, int.MaxValue), "creep");
        StructsOf(results, resultCount, all.Length, "results");
        if (threads is < 1 or > 1024)
        {
            throw Failure.Argument($"threads: give 1 to 1024, not {threads}");
        }

        var firstLives = new long[all.Length + 1];
        for (var i = 0; i < all.Length; i++)
        {
            all[i].Check(i, unitCount, upgradeCount, creepBytes, MostLoops);
            firstLives[i + 1] = firstLives[i] + all[i].UnitCount;
        }

        StructsOf(lives, lifeCount, firstLives[^1], "lives");
        if (threads == 1 || all.Length < 2)
        {
            for (var i = 0; i < all.Length; i++)
            {
                Play(i);
            }

            return;
        }

        using var pool = new WorkerPool(Math.Min(threads, all.Length));
        pool.Run(all.Length, Play);

        void Play(int number)
        {
            var part = fights[number];
            var ids = new ReadOnlySpan<int>(upgrades + part.FirstUpgrade, part.OwnUpgrades + part.EnemyUpgrades);
            try
            {
                results[number] = field.Play(
                    new ReadOnlySpan<FightUnit>(units + part.FirstUnit, part.UnitCount),
                    (ids[..part.OwnUpgrades].ToArray(), ids[part.OwnUpgrades..].ToArray()),
                    new ReadOnlySpan<byte>(creep + part.FirstCreep, part.CreepBytes),
                    part.Loops,
                    part.Seed,
                    new Span<FightLife>(lives + firstLives[number], part.UnitCount));
            }
            catch (ArgumentException wrong)
            {
                throw Failure.Argument($"fight {number}: {wrong.Message}", wrong);
            }
        }
    });

    // All fields of the structs have four bytes.
    private static ReadOnlySpan<T> StructsOf<T>(T* pointer, long length, long needed, string what)
        where T : unmanaged
    {
        if ((nint)pointer % sizeof(int) != 0)
        {
            throw Failure.Argument($"{what}: give an address that is a multiple of {sizeof(int)}");
        }

        return new ReadOnlySpan<T>(pointer, SpanOf((byte*)pointer, length, needed, what).Length);
    }

    private static Failure NotAField(long handle) => new(Code.Handle, $"{handle} is not the handle of an open field");

    /// <summary>A fight's parts of the arrays, with the layout of sc2bridge_fight in sc2bridge.h.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public readonly record struct FightPart(
        int FirstUnit, int UnitCount, int FirstUpgrade, int OwnUpgrades, int EnemyUpgrades, int FirstCreep, int CreepBytes, int Loops,
        uint Seed)
    {
        /// <summary>Checks that the parts are inside the arrays.</summary>
        /// <exception cref="Failure">A part is not.</exception>
        public void Check(int number, long units, long upgrades, long creep, int mostLoops)
        {
            if (!IsInside(FirstUnit, UnitCount, units) || OwnUpgrades < 0 || EnemyUpgrades < 0
                || !IsInside(FirstUpgrade, (long)OwnUpgrades + EnemyUpgrades, upgrades) || !IsInside(FirstCreep, CreepBytes, creep))
            {
                throw Failure.Argument($"fight {number}: its units, upgrades or creep are not inside the arrays");
            }

            if (Loops < 0 || Loops > mostLoops)
            {
                throw Failure.Argument($"fight {number}: {Loops} game loops: give 0 to {mostLoops}");
            }
        }

        private static bool IsInside(long first, long count, long length) => first >= 0 && count >= 0 && first + count <= length;
    }
}
