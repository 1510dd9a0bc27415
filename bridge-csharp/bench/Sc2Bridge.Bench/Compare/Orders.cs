namespace Sc2Bridge.Bench;

/// <summary>Where a process that sends can be reached; what it does not serve is empty.</summary>
/// <param name="Grpc"><c>HOST:PORT</c>.</param>
/// <param name="Web">The same for the WebSocket.</param>
/// <param name="Unix">The path of gRPC's Unix socket.</param>
/// <param name="Raw">The raw socket's <c>HOST:PORT</c>.</param>
/// <param name="Memory">The name of the socket beside shared memory.</param>
/// <param name="RawUnix">The name of the raw Unix socket.</param>
internal sealed record SenderAddresses(
    string Grpc = "", string Web = "", string Unix = "", string Raw = "", string Memory = "", string RawUnix = "")
{
    /// <summary>As an agent is told it.</summary>
    public string Url(Measurement measurement) => measurement switch
    {
        { Sender: Sender.Raw, Unix: true } => $"raw+unix:{RawUnix}",
        { Sender: Sender.Raw } => $"raw://{Raw}",
        { Sender: Sender.Bare, Mode: Mode.Memory } => $"memory:{Memory}",
        { Mode: Mode.Memory } => Memory,
        { Mode: not Mode.Grpc } => $"ws://{Web}/v1",
        { Unix: true } => $"grpc+unix:{Unix}",
        _ => $"grpc://{Grpc}",
    };
}

/// <summary>What a process that sends is to do for one measurement.</summary>
/// <param name="Recording">The recording to play.</param>
/// <param name="From">The game loop to begin at; null for its first.</param>
/// <param name="Rate">Steps a second; 0 for as fast as they are received.</param>
/// <param name="Subscribers">How many to wait for.</param>
/// <param name="WarmUpSeconds">What is not counted.</param>
/// <param name="Seconds">What is counted after that.</param>
internal sealed record SendOrder(
    string Recording, uint? From, double Rate, int Subscribers, double WarmUpSeconds, double Seconds);

/// <summary>What a process used while a measurement's steps were counted.</summary>
/// <param name="Steps">Steps that were sent meanwhile.</param>
/// <param name="Seconds">How long it was.</param>
/// <param name="CpuSeconds">The process's own, of all processors.</param>
/// <param name="AllocatedBytes">What the runtime allocated.</param>
/// <param name="MemoryBytes">What it kept resident at the end.</param>
/// <param name="WireBytes">What its peers' kernels took of TCP; null where that cannot be told.</param>
/// <param name="EncodingSeconds">What text, columns and compressing took, on whatever threads.</param>
internal sealed record SendResult(
    long Steps, double Seconds, double CpuSeconds, long AllocatedBytes, long MemoryBytes, long? WireBytes, double EncodingSeconds);

/// <summary>What a process that receives is to do for one measurement.</summary>
/// <param name="Url">Where.</param>
/// <param name="Encoding"><c>proto</c> or <c>json</c>.</param>
/// <param name="Compression">As the Python package calls it.</param>
/// <param name="Content"><c>observation</c> or <c>columns</c>.</param>
/// <param name="Policy"><c>every</c>, <c>latest</c> or <c>lockstep</c>.</param>
/// <param name="Readers">How many subscriptions.</param>
/// <param name="Parse">Whether each frame is parsed; else it is looked at and let go.</param>
/// <param name="WarmUpSeconds">As the sender has it.</param>
/// <param name="Seconds">As the sender has it.</param>
internal sealed record ReceiveOrder(
    string Url, string Encoding, string Compression, string Content, string Policy, int Readers, bool Parse, double WarmUpSeconds,
    double Seconds)
{
    /// <summary>Of the agent that is measured.</summary>
    public static ReceiveOrder Of(Measurement measurement, string url, double warmUpSeconds, double seconds) => new(
        url, measurement.Mode == Mode.Json ? "json" : "proto", Measurement.Word(measurement.Packing),
        measurement.Columns ? "columns" : "observation", Measurement.Word(measurement.Policy), Readers: 1, Parse: true, warmUpSeconds,
        seconds);
}

/// <summary>What an agent, or a group of light readers, saw while frames were counted.</summary>
/// <param name="Agent">Which library, which version.</param>
/// <param name="HeldUs">For each frame, in order: from the game's answer to the agent holding the message.</param>
/// <param name="ParsedUs">The same to holding it parsed; empty where nothing is parsed.</param>
/// <param name="DecodeUs">What decompressing and parsing took of that; empty where that is not told.</param>
/// <param name="Bytes">Each message's length as the library gave it.</param>
/// <param name="Lost">Frames in between that never came.</param>
/// <param name="Seconds">From having parsed the first that counts to having parsed the last.</param>
/// <param name="CpuSeconds">The process's own in that time, of all processors: of all frames but the first.</param>
/// <param name="MemoryBytes">What it kept resident at the end.</param>
internal sealed record ReceiveResult(
    string Agent, double[] HeldUs, double[] ParsedUs, double[] DecodeUs, long[] Bytes, long Lost, double Seconds, double CpuSeconds,
    long MemoryBytes);
