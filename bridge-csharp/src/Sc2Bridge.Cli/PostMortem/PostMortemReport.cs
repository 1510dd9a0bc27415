namespace Sc2Bridge.Cli;

/// <summary>The content of <c>post-mortem.json</c>.</summary>
/// <param name="Version">The version of this format.</param>
/// <param name="Cause">Why the match ended, as far as the bridge knows.</param>
/// <param name="Match">The match.</param>
/// <param name="Recording">The part of the recording that the page contains; null without a recording.</param>
/// <param name="RecordingMissing">Why the recording is missing; null if the page contains it.</param>
/// <param name="Findings">Other problems of the match.</param>
/// <param name="Steps">The times of the last steps.</param>
/// <param name="Slowest">The slowest spans of these steps, and the slow spans of the whole match; the slowest first.</param>
/// <param name="Logs">The last lines of agents, and of the bridge's log.</param>
/// <param name="Tracebacks">The tracebacks of agents, and of the bridge.</param>
/// <param name="Versions">The versions of the programs.</param>
/// <param name="Machine">The machine of the bridge.</param>
/// <param name="Written">When the file was written.</param>
internal sealed record PostMortemReport(
    int Version, PostMortemCause Cause, PostMortemMatch Match, PostMortemRecording? Recording, string? RecordingMissing,
    IReadOnlyList<PostMortemCause> Findings, IReadOnlyList<PostMortemStep> Steps, IReadOnlyList<PostMortemSpan> Slowest,
    IReadOnlyList<PostMortemLines> Logs, IReadOnlyList<PostMortemLines> Tracebacks, PostMortemVersions Versions,
    PostMortemMachine Machine, DateTime Written);

/// <summary>A problem of a match.</summary>
/// <param name="Kind">The kind, for programs: see docs/guide/post-mortem.md.</param>
/// <param name="Who">The agent, bot, game or bridge that failed; empty if unknown.</param>
/// <param name="Text">What happened, as a sentence.</param>
/// <param name="Advice">What the user can do.</param>
/// <param name="GameLoop">The game loop of the observation that the failed program was working on; null if the match had none.</param>
internal sealed record PostMortemCause(string Kind, string Who, string Text, string Advice, uint? GameLoop);

/// <summary>The match.</summary>
/// <param name="Id">The match's name.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Simulated">True for the simulated game.</param>
/// <param name="GameVersion">The version that the game reports.</param>
/// <param name="Seed">The game's random seed.</param>
/// <param name="Rate"><c>max</c>, <c>realtime</c> or steps per second.</param>
/// <param name="StepSize">Game loops in a step.</param>
/// <param name="Players">The players.</param>
/// <param name="Ended">Why the match ended, in words.</param>
/// <param name="Aborted">Whether the match failed and so has no result.</param>
internal sealed record PostMortemMatch(
    string Id, string Map, bool Simulated, string GameVersion, uint Seed, string Rate, uint StepSize,
    IReadOnlyList<PostMortemPlayer> Players, string Ended, bool Aborted);

internal sealed record PostMortemPlayer(uint Id, string Name, string Race, string Kind, string Result);

/// <summary>The part of the recording that the page contains.</summary>
internal sealed record PostMortemRecording(uint FirstGameLoop, uint LastGameLoop);

/// <summary>The times of a step, in microseconds. Null if they were not measured.</summary>
/// <param name="GameLoop">The game loop of the observation.</param>
/// <param name="Perspective">A player id, or 0 for an observer of all.</param>
/// <param name="AgentUs">The time of the slowest agent, or of the bot.</param>
/// <param name="BridgeUs">The bridge's own time. With agents at a fixed rate or in real time: only pauses of the whole bridge; null without one.</param>
/// <param name="GameUs">The time until the game had made the observation.</param>
internal sealed record PostMortemStep(uint GameLoop, uint Perspective, double? AgentUs, double? BridgeUs, double? GameUs);

/// <summary>A time that one program needed in a step.</summary>
/// <param name="GameLoop">The game loop of the step's observation.</param>
/// <param name="Who">The agent, bot, game or bridge that needed the time.</param>
/// <param name="Us">The time in microseconds.</param>
internal sealed record PostMortemSpan(uint GameLoop, string Who, double Us);

/// <summary>Lines of one program.</summary>
internal sealed record PostMortemLines(string From, IReadOnlyList<string> Lines);

/// <summary>The versions of the programs; empty if unknown.</summary>
internal sealed record PostMortemVersions(string Sc2bridge, string Dotnet, string Python, string Os);

internal sealed record PostMortemMachine(int Cores, long MemoryBytes, string Cpu);
