using System.Globalization;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Bench;

/// <summary>
/// A late stretch of the default simulated match (two Elite computers, Terran against Zerg, on Cinder Fortress LE),
/// with observations as large as those of a real match late on.
/// </summary>
internal static class SimulatedFrames
{
    /// <summary>The loop from which on the match's observations are late ones: nearest to 160 KiB.</summary>
    public const int LateLoop = 14_500;

    private const int LastLoop = 16_860;

    // Far enough apart for units to have moved, died and been built between two of them.
    private const int Stride = 20;

    // Late observations of a real match have 134 to 169 KiB; this is what published figures speak of.
    private const int Wanted = 160 << 10;

    /// <summary>Plays the match and keeps the stretch whose observations are nearest to 160 KiB.</summary>
    /// <param name="count">How many, 20 game loops apart.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="CommandException">The match ended before it had so many.</exception>
    public static MeasuredFrames Make(int count, CancellationToken ct)
    {
        var game = Join();
        var match = new List<byte[]>();
        for (var loop = 0; loop < LastLoop; loop += Stride)
        {
            ct.ThrowIfCancellationRequested();
            if (game.Handle(new Request { Step = new RequestStep { Count = Stride } }).Status == Status.Ended)
            {
                break;
            }

            match.Add(Observe(game));
        }

        if (match.Count < count)
        {
            throw new CommandException(
                $"the simulated match ended after {match.Count * Stride} game loops: give a folder with --frames");
        }

        var first = Enumerable.Range(0, match.Count - count + 1).MinBy(DistanceFromWanted);
        var frames = match.GetRange(first, count);
        var origin = string.Create(
            CultureInfo.InvariantCulture,
            $"simulated: {count} observations of game loops {(first + 1) * Stride} to {(first + count) * Stride}, "
            + $"seed {SimulatorDefaults.Seed}, {Kib(frames.Min(Length))} to {Kib(frames.Max(Length))} KiB");
        return new MeasuredFrames([.. frames], origin);

        double DistanceFromWanted(int start) => Math.Abs(match.GetRange(start, count).Average(Length) - Wanted);
    }

    /// <summary>Consecutive steps, late in the match, where its observations are at their largest.</summary>
    /// <param name="count">How many.</param>
    /// <param name="ct">Gives up.</param>
    public static MeasuredFrames Late(int count, CancellationToken ct) => Consecutive(LateLoop, count, ct);

    /// <summary>Plays up to a loop of the same match and keeps each step of one loop from there on.</summary>
    /// <param name="first">The loop before the first that is kept.</param>
    /// <param name="count">How many steps.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="CommandException">The match ended before.</exception>
    public static MeasuredFrames Consecutive(int first, int count, CancellationToken ct)
    {
        var game = Join();
        game.Handle(new Request { Step = new RequestStep { Count = (uint)first } });
        var frames = new byte[count][];
        for (var index = 0; index < count; index++)
        {
            ct.ThrowIfCancellationRequested();
            if (game.Handle(new Request { Step = new RequestStep() }).Status == Status.Ended)
            {
                throw new CommandException($"the simulated match ended before game loop {first + count}");
            }

            frames[index] = Observe(game);
        }

        var origin = string.Create(
            CultureInfo.InvariantCulture,
            $"simulated: each of {count} steps from game loop {first + 1} on, seed {SimulatorDefaults.Seed}, "
            + $"{Kib(frames.Min(Length))} to {Kib(frames.Max(Length))} KiB");
        return new MeasuredFrames(frames, origin);
    }

    private static SimulatedGame Join() => Join("Cinder Fortress LE", SimulatorDefaults.Seed, 0);

    private static byte[] Observe(SimulatedGame game) =>
        game.Handle(new Request { Observation = new RequestObservation() }).Observation.ToByteArray();

    private static int Length(byte[] bytes) => bytes.Length;

    private static string Kib(int bytes) => (bytes / 1024.0).ToString("0.0", CultureInfo.InvariantCulture);

    /// <summary>A match of two Elite computers that an observer has joined.</summary>
    /// <param name="map">Its name.</param>
    /// <param name="seed">Decides it.</param>
    /// <param name="viewer">Whose eyes: a player's id, or 0 for all.</param>
    /// <exception cref="CommandException">The game refused it.</exception>
    public static SimulatedGame Join(string map, uint seed, uint viewer)
    {
        var game = new SimulatedGame(new SimulatorOptions());
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = map },
            RandomSeed = seed,
        };
        foreach (var race in (ReadOnlySpan<Race>)[Race.Terran, Race.Zerg])
        {
            create.PlayerSetup.Add(new PlayerSetup
            {
                Type = PlayerType.Computer,
                Race = race,
                Difficulty = Difficulty.VeryHard,
            });
        }

        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        var join = new RequestJoinGame
        {
            ObservedPlayerId = viewer,
            Options = new InterfaceOptions { Raw = true, Score = true },
        };
        Request[] requests = [new() { CreateGame = create }, new() { JoinGame = join }];
        foreach (var request in requests)
        {
            var answer = game.Handle(request);
            if (answer.Error.Count > 0 || answer.CreateGame?.HasError == true || answer.JoinGame?.HasError == true)
            {
                throw new CommandException($"the simulated game refused {request.RequestCase}: {answer}");
            }
        }

        return game;
    }
}
