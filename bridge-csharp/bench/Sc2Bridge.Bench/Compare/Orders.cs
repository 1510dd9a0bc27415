namespace Sc2Bridge.Bench;

/// <summary>The addresses of a sending process. Transports that it does not serve are empty.</summary>
/// <param name="Grpc"><c>HOST:PORT</c>.</param>
/// <param name="Web">The same for the WebSocket.</param>
/// <param name="Unix">The path of gRPC's Unix socket.</param>
/// <param name="Raw">The raw socket's <c>HOST:PORT</c>.</param>
/// <param name="Memory">The name of the socket for shared memory.</param>
/// <param name="RawUnix">The name of the raw Unix socket.</param>
internal sealed record SenderAddresses(
    string Grpc = "", string Web = "", string Unix = "", string Raw = "", string Memory = "", string RawUnix = "")
{
    /// <summary>The address in the form that an agent gets.</summary>
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

/// <summary>An order for a sending process: one measurement.</summary>
/// <param name="Recording">The recording to play.</param>
/// <param name="From">The game loop to begin at, null for its first.</param>
/// <param name="Rate">Steps a second, 0 for as fast as they are received.</param>
/// <param name="Subscribers">The number of subscribers to wait for.</param>
/// <param name="WarmUpSeconds">The time that is not counted.</param>
/// <param name="Seconds">The counted time after it.</param>
internal sealed record SendOrder(
    string Recording, uint? From, double Rate, int Subscribers, double WarmUpSeconds, double Seconds);

/// <summary>The resources that a process used while a measurement's steps were counted.</summary>
/// <param name="Steps">Steps that were sent in this time.</param>
/// <param name="Seconds">The length of this time.</param>
/// <param name="CpuSeconds">The process's time on all processors.</param>
/// <param name="AllocatedBytes">Bytes that the runtime allocated.</param>
/// <param name="MemoryBytes">Resident memory at the end.</param>
/// <param name="WireBytes">TCP bytes that its peers acknowledged. Null if the system does not report it.</param>
/// <param name="EncodingSeconds">Time for text, columns and compressing, on all threads.</param>
internal sealed record SendResult(
    long Steps, double Seconds, double CpuSeconds, long AllocatedBytes, long MemoryBytes, long? WireBytes, double EncodingSeconds);

/// <summary>An order for a receiving process: one measurement.</summary>
/// <param name="Url">The bridge's address.</param>
/// <param name="Encoding"><c>proto</c> or <c>json</c>.</param>
/// <param name="Compression">The compression's name in the Python package.</param>
/// <param name="Content"><c>observation</c> or <c>columns</c>.</param>
/// <param name="Policy"><c>every</c>, <c>latest</c> or <c>lockstep</c>.</param>
/// <param name="Subscribers">The number of subscriptions.</param>
/// <param name="Parse">Whether each frame is parsed. Otherwise only its head is read.</param>
/// <param name="WarmUpSeconds">The same as the sender's.</param>
/// <param name="Seconds">The same as the sender's.</param>
internal sealed record ReceiveOrder(
    string Url, string Encoding, string Compression, string Content, string Policy, int Subscribers, bool Parse, double WarmUpSeconds,
    double Seconds)
{
    /// <summary>The order for the measured agent.</summary>
    public static ReceiveOrder Of(Measurement measurement, string url, double warmUpSeconds, double seconds) => new(
        url, measurement.Mode == Mode.Json ? "json" : "proto", Measurement.Word(measurement.Packing),
        measurement.Columns ? "columns" : "observation", Measurement.Word(measurement.Policy), Subscribers: 1, Parse: true, warmUpSeconds,
        seconds);
}

/// <summary>The results of an agent or a group of light subscribers, for the counted frames.</summary>
/// <param name="Agent">The library and its version.</param>
/// <param name="HeldUs">For each frame, in order: the time from the game's answer until the agent has the message.</param>
/// <param name="ParsedUs">The time until it is parsed. Empty if frames are not parsed.</param>
/// <param name="DecodeUs">The part of this time for decompressing and parsing. Empty if it was not measured.</param>
/// <param name="Bytes">Each message's size in the library.</param>
/// <param name="Lost">Missing frames between the received ones.</param>
/// <param name="Seconds">The time from parsing the first counted frame to parsing the last.</param>
/// <param name="CpuSeconds">The process's time on all processors in that time: for all frames except the first.</param>
/// <param name="MemoryBytes">Resident memory at the end.</param>
internal sealed record ReceiveResult(
    string Agent, double[] HeldUs, double[] ParsedUs, double[] DecodeUs, long[] Bytes, long Lost, double Seconds, double CpuSeconds,
    long MemoryBytes);
