/// Words of English that are often misspelt in the same way, of which a few letters' difference says too little:
/// *seperate* is as far from *desperate* as from *separate*.
enum Misspelling {
  /// The word that was meant; nil for one that no row of the table has. A word that is begun is completed: of
  /// *recievi*, *receiving*.
  static func correction(of typed: String) -> String? {
    var stem = typed.prefix(longest)
    while !stem.isEmpty {
      let rest = typed.dropFirst(stem.count)
      for row in rows[String(stem)] ?? [] {
        if let ending = row.endings.first(where: { $0 == rest }) ?? row.endings.first(where: { $0.hasPrefix(rest) }) {
          return row.stem + ending
        }
      }
      stem.removeLast()
    }
    return nil
  }

  private struct Row {
    /// As it is spelt.
    var stem: String
    /// What may follow, the most usual first.
    var endings: [String]
  }

  /// The rows by the stems as people write them.
  private static let rows: [String: [Row]] = {
    var rows: [String: [Row]] = [:]
    for line in table.split(separator: "\n") {
      let parts = line.split(separator: ":", omittingEmptySubsequences: false).map { $0.split(separator: " ") }
      let right = parts[0].map { $0.map { $0 == "_" ? " " : $0 } }.map { String($0) }
      let endings = right.dropFirst().map { $0 == "-" ? "" : $0 }
      for wrong in parts[1] {
        rows[String(wrong), default: []].append(Row(stem: right[0], endings: endings.isEmpty ? [""] : endings))
      }
    }
    return rows
  }()

  private static let longest = rows.keys.reduce(0) { max($0, $1.count) }

  /// A stem and its endings (`-` for none, `_` for a space), a colon, and the stem as it is misspelt.
  private static let table = """
    a_lot: alot
    absen ce: absense abscence
    accept - ed able ing s: acept
    accessibl e: accessable
    accident al ally s: accidant
    accommodat e es ed ing ion ions: accomodat acommodat acomodat
    accomplish - ed es ing ment: acomplish
    achiev e es ed ing ement ements: acheiv
    acknowledg e es ed ing: aknowledg acknowlege
    acquaint ance ances ed: aquaint
    acquir e es ed ing: aquir
    across: accross
    actually: actualy acctually
    address - es ed ing: adress
    again - st: agian
    aggressi ve on vely: agressi aggresi
    almost: allmost
    already: allready alredy
    always: allways alwasy
    amateur - s: amatuer amature
    and: adn
    annual ly: anual
    apartment - s: appartment apartement
    apologize - d s: appologize appologise
    apology: appology
    apparently: apparantly apparentley
    appear - s ed ing ance: apear
    appoint ment ments ed: apoint
    appreciat e es ed ing ion ive: apreciat appriciat
    approximately: aproximately approximatly
    argument - s: arguement
    at_least: atleast
    attend - ed ing ance s: atend
    awkward - ly: akward awkwerd
    basically: basicly basicaly
    beautiful - ly: beatiful beutiful beautifull
    because: becuase becasue becouse beacuse becuz
    before: befroe
    beginning - s: begining beggining
    behavior - s al: behavoir
    behaviour - s al: behavoiur
    belie f fs: beleif
    believ e es ed ing able: beleiv beliv
    beneficial: benificial
    birthday - s: brithday birthay birtday
    breakfast - s: breakfest brekfast
    business - es: buisness bussiness busness buisiness
    calendar - s: calender calander
    camouflag e ed: camoflag
    cemeter y ies: cemetar
    certain - ly: certian
    challeng e es ed ing: chaleng
    changeable: changable
    chief - s: cheif
    chocolate - s: choclate
    colleague - s: collegue colleage
    coming: comming
    commitment - s: comitment committment
    committed: commited comitted
    committee - s: commitee comittee
    comparison - s: comparision
    completely: completly
    concentrat e es ed ing ion: consentrat
    congratulations: congradulations
    conscience: concience
    conscious - ly: concious consious
    controvers y ies ial: contravers
    convenience: convienience conveniance
    convenient - ly: convienient conveniant
    correspond ence ent s ed: corespond
    curiosity: curiousity
    daughter - s: daugther dauther
    decided: decied
    decision - s: desicion decison
    definit e ely ion ions: definat defenit definet
    delicious: delicous
    dependent: dependant
    describe - d s: discribe
    description - s: discription
    desperate - ly: desparate desprate
    development - s: developement
    didn't: did'nt didint dident
    different - ly: diffrent diferent
    difficult - y ies: dificult
    dilemma - s: dilema dilemna
    dinner - s: dinnner
    disappear - s ed ing ance: dissapear disapear
    disappoint - s ed ing ment: dissapoint disapoint
    disciplin e ed: disiplin
    doctor - s: docter
    doesn't: does'nt dosen't dosent
    don't: do'nt donn't
    each_other: eachother
    ecstatic: ecstactic
    eighth: eigth
    eligible: eligable
    embarrass - ed es ing ment: embarass embaras
    emergenc y ies: emergancy
    enough: enought enuf
    environment - s al: enviroment enviornment
    especially: expecially especialy
    everything: everthing evreything
    exaggerat e es ed ing ion: exagerat
    excellent - ly: excelent exellent
    except - ion ions: exept
    exercise - s d: excercise exersise
    existence: existance
    expensive: expencive expesive
    experience - s d: experiance expirience
    explanation - s: explaination
    extremely: extremly
    familiar: familar
    fascinat e es ed ing ion: facinat
    favorite - s: favrite
    february: febuary
    finally: finaly
    foreign - er ers: foriegn
    forty: fourty
    forward - s ed ing: foward
    friend - s ly ship: freind frend firend
    fulfil - l led s: fullfil
    generally: generaly
    gorgeous: gorgous
    government - s: goverment
    grammar: grammer
    grateful - ly: greatful
    guarantee - s d ing: guarentee garantee garentee
    guard - s ed ing: gaurd
    guess - ed es ing: geuss
    guidance: guidence
    happened: happend
    happiness: happyness
    harass - ed ing ment: harrass
    have: ahve hvae
    haven't: have'nt
    height - s: heigth hieght
    hospital - s: hospitle
    humorous: humerous
    hungry: hungrey
    hygiene: hygene hygeine
    ignorance: ignorence
    immediat e ely: imediat immediet
    immediately: immediatly
    important - ly: importent
    in_case: incase
    in_fact: infact
    independen t ce tly: independan
    intelligen t ce tly: inteligen
    interest - s ed ing ingly: intrest intrist
    interrupt - s ed ing ion: interupt
    invitation - s: invatation
    island - s: iland
    jewelry: jewlery jewelery
    judgment - s: judgemant
    kitchen - s: kichen
    knew: kenw
    know - s n ing: konw knwo
    knowledge - able: knowlege
    laid: layed
    language - s: langauge lanugage
    laugh - s ed ing ter: luagh
    leisure - ly: liesure
    liaison - s: liason
    library: libary
    license - s d: lisence
    likely: likley
    literally: litterally literaly
    little: litle littel
    loneliness: lonelyness
    maintain ed s ing: mantain
    maintenance: maintenence maintainance
    marriage - s: marrage mariage
    maybe: mabye maybee
    medicine - s: medecine
    message - s d: mesage messege
    millennium: millenium
    miniature - s: minature
    miscellaneous: miscelaneous
    mischievous: mischevious mischevous
    misspel l led ling t: mispel
    monday: munday
    morning - s: mornig moring
    necessar y ily: neccesar necesar neccessar
    neighbor - s hood: nieghbor
    niece - s: neice
    ninety: ninty
    noticeable: noticable
    nuisance: nusance
    obviously: obviosly
    occasion - s al ally: occassion ocasion
    occasionally: occasionaly occassionaly
    occur - s: ocur
    occurred: occured ocurred ocured
    occurrence - s: occurence occurance
    occurring: occuring ocurring
    of_course: ofcourse
    office - s r: ofice
    often: oftne
    opinion - s: opinon
    opportunit y ies: oppurtunit oportunit
    original - ly: orginal
    other - s: ohter
    parallel - s: paralel parralel
    parliament: parliment
    particular - ly: perticular
    particularly: particulary
    people: poeple peple
    permanent - ly: permanant
    persistent: persistant
    personnel: personell
    piece - s: peice
    playwright: playwrite
    pleasant - ly: plesant
    please - d: plese
    possession - s: posession possesion
    possibl y e: posibl
    possible: possable posible
    potatoes: potatos
    preferred: prefered
    prepar e ed ing ation: prepair
    prescription - s: perscription
    president - s: presidant
    privilege - s d: priviledge privelege
    probably: probly probaly propably
    problem - s: probelm problam
    professional - ly: proffesional profesional
    professor - s: proffessor profesor
    pronunciation: pronounciation
    psycholog y ist ical: pyscholog
    publicly: publically
    quarantine - d: quarentine
    questionnaire - s: questionaire
    quiet - ly: queit
    quizzes: quizes
    really: realy relly raelly
    receipt - s: reciept
    receiv e es ed er ers ing: reciev receve
    recogni ze zed se sed tion: reconi
    recommend - s ed ing ation ations: recomend reccomend reccommend
    referred: refered
    relative - s ly: relitive
    relevant: relevent
    religious: religous
    remember - s ed ing: remeber rember
    repetition - s: repitition
    responsib le ility ly: responsab
    restaurant - s: resturant restaraunt restuarant restraunt
    rhythm - s: rythm rhythym rythym
    ridiculous - ly: rediculous
    right - s: rigth
    roommate - s: roomate
    sacrifice - s d: sacrafice
    safety: saftey
    said: siad
    sandwich - es: sandwhich
    saturday: saterday saturady
    schedule - s d: schedual scedule shedule
    scheduling: scheduleing sceduling sheduling
    scissors: scissers
    secretar y ies: secratar
    seize - d s: sieze
    separat e es ed ely ing ion: seperat
    sergeant: sergent
    shoulder - s: sholder
    sign - s ed: sgin
    similar - ly ity: similiar
    since: sicne
    sincerely: sincerly
    something: somthing soemthing
    sometimes: somtimes
    speech - es: speach
    strategies: stratagies
    strategy: stratagy
    strength - s: strenght
    stretch - ed es ing: strech
    succeed - s ed ing: succede suceed
    success - ful fully es: sucess
    successful - ly: succesful successfull sucessful
    supersede - s d: supercede
    supposed: suposed
    surpris e es ed ing ingly: supris surpriz
    tattoo - s ed: tatoo
    temperature - s: temperture tempature temprature
    than: thna
    thank - s ed ing: thnak thakn
    that: taht
    the: teh hte
    their: thier
    there: tehre
    they: tehy
    think - s ing: thikn
    this: tihs
    thorough - ly: thourough
    threshold - s: threshhold
    tomatoes: tomatos
    tomorrow: tomorow tommorow tommorrow tommorro tmorrow
    tongue - s: tounge
    tonight: tonite tonigt
    traffic: trafic
    tragedy: tradegy
    transfer red ring s: tranfer
    travel - ed ing s er: travle
    truly: truely
    tuesday: teusday tusday
    twelfth: twelth
    tyranny: tyrany
    understand - s ing: undrestand understnad
    unfortunately: unfortunatly
    unique: uniqe
    until: untill
    unusual - ly: unusal
    used: uesd
    useful: usefull
    using: useing
    usually: usualy usally
    vacuum - s ed ing: vaccum vaccuum
    vegetable - s: vegtable vegatable
    vehicle - s: vehical
    very: vrey
    village - s: vilage
    visib le ility: visab
    wait - s ed ing: wiat
    want - s ed ing: wnat
    was: wsa
    wasn't: was'nt
    weather: wheather
    wednesday - s: wendsday wensday wedensday
    weigh - t s ed: wiegh
    weird - o ly: wierd
    welcome - d s: wellcome
    went: wnet
    what: waht
    when: whne
    where: wehre
    whether: wether
    which: wich whcih
    whole: hwole
    with: wiht
    without: witout wihtout
    won't: wo'nt
    work - s ed ing er: wrok
    would: woudl wuold
    wouldn't: would'nt
    writing - s: writting
    yacht - s: yatch
    year - s: yaer
    yesterday: yesturday yestarday
    yield - s ed ing: yeild
    you: yuo
    your - s: yoru
    """
}
